// Packed weights W [O, I], as the GEMMs of both CPU backends read them. 16 rows form a panel, in
// which the elements of a column are adjacent:
//
//   f32   [I][16]
//   bf16  [I][16]
//   i8    [I/4][16][4], each element + 128, unsigned; then the scales of the 16 rows (weights.h)
//   i4    [I/8][16][4] bytes of elements, then [ceil(I/32)][16] bytes of factors, each as in rows;
//         then the scales of the 16 rows
//
// Rows after the last full panel stay row-major. Packing is in place. A slice on panel boundaries
// is itself a packed matrix. Columns cannot be sliced.
#pragma once

#include <cstdint>
#include <span>

#include "attend/backend/cpu/quantized_weights.h"
#include "attend/backend/weight_layout.h"

namespace attend {

constexpr std::int64_t kPanelRows = 16;

// The number of rows in panels.
inline std::int64_t packed_rows(const Tensor& weights) {
  return is_packed(weights) ? weights.rows() / kPanelRows * kPanelRows : 0;
}

// At most 16 unpacked rows in 8 or 4 bits as a packed matrix of 16, for kernels that read nothing
// but panels. Zeros fill it up, also to a multiple of 4 columns.
Tensor padded_panel(const Tensor& rows);

// These implement the functions of Backend.
Tensor pack_weights(const Tensor& weights);
Tensor select_weights(const Tensor& weights, std::span<const std::int32_t> rows);
Tensor unpack_weights(const Tensor& weights);
Tensor float_weights(const Tensor& weights);

}  // namespace attend
