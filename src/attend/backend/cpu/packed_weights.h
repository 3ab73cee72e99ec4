// Packed weights W [O, I], as the products of both CPU backends read them. 16 rows make a panel, in
// which the numbers of a column lie side by side:
//
//   f32   [I][16]
//   i8    [I/4][16][4], each number + 128, without a sign; then the scales of the 16 rows
//   (weights.h)
//
// Rows after the last full panel stay row-major. A panel takes the memory of its rows, so packing
// is in place, and a slice on panel boundaries is itself a packed matrix. Columns cannot be sliced.
#pragma once

#include <cstdint>
#include <span>

#include "attend/backend/cpu/quantized_weights.h"

namespace attend {

constexpr std::int64_t kPanelRows = 16;

// How many of the rows are in panels.
inline std::int64_t packed_rows(const Tensor& weights) {
  return is_packed(weights) ? weights.rows() / kPanelRows * kPanelRows : 0;
}

// Whether `weights` is a contiguous matrix of at least one panel, its element type f32, or i8 with
// an I that four divides.
bool can_pack(const Tensor& weights);

// These four do what Backend says of them.
Tensor pack_weights(const Tensor& weights);
Tensor select_weights(const Tensor& weights, std::span<const std::int32_t> rows);
Tensor unpack_weights(const Tensor& weights);
Tensor float_weights(const Tensor& weights);

}  // namespace attend
