// From the pattern that an op of attention is given to the layout that kernels take.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/ops/attention.h"

namespace attend::detail {

// Throws ShapeError, in the name of `op`, unless the offsets fit q [N, .] and k [M, .] and a bias
// fits the offsets.
void check_pattern(std::string_view op, const AttentionPattern& pattern, const Shape& q,
                   const Shape& k);

// Throws ShapeError when query sequences share keys: nothing has their gradients.
void check_no_shared_keys(std::string_view op, const AttentionPattern& pattern);

// A layout without scale and dropout.
AttentionLayout layout_of(const AttentionPattern& pattern, int heads);

// Number of (query, key) pairs of all sequences: the elements of a bias, and of one head's weights.
std::int64_t pairs_of(const AttentionPattern& pattern);

}  // namespace attend::detail
