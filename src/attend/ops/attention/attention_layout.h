// Checks of the layout of an attention op.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/ops/attention/attention.h"

namespace attend::detail {

// Throws ShapeError, naming `op`, unless the offsets fit q [N, .] and k [M, .], and the bias fits
// the offsets.
void check_layout(std::string_view op, const AttentionLayout& layout, const Shape& q,
                  const Shape& k);

// Throws ShapeError if query sequences share keys, which have no single gradient.
void check_no_shared_keys(std::string_view op, const AttentionLayout& layout);

// Number of (query, key) pairs of all sequences: the elements of a bias, and of one head's weights.
std::int64_t pairs_of(const AttentionLayout& layout);

}  // namespace attend::detail
