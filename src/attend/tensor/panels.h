// Weights W [O, I] as the kernels of products read them. 16 rows make a panel, in which the numbers of a column lie side by side:
//
//   f32   [I][16]
//   i8    [I/4][16][4], each number + 128, without a sign; then the scales of the 16 rows (tensor/quantized.h)
//
// What is behind the last whole panel stays row after row. A panel takes the memory that its rows took, so weights are rearranged where
// they are, and rows that begin and end with panels are such a matrix too. The tensor keeps its shape; its element type says how it is
// arranged, so nothing takes it for rows by mistake. Columns cannot be cut out of it, nor rows that do not begin with a panel.
#pragma once

#include <cstdint>
#include <span>

#include "attend/tensor/quantized.h"
#include "attend/tensor/tensor.h"

namespace attend {

constexpr std::int64_t kPanelRows = 16;

inline bool in_panels(const Tensor& weights) { return weights.dtype() == DType::f32_panels || weights.dtype() == DType::i8_panels; }

// How many of the rows are in panels.
inline std::int64_t rows_in_panels(const Tensor& weights) { return in_panels(weights) ? weights.rows() / kPanelRows * kPanelRows : 0; }

// A contiguous matrix of at least one panel, its element type f32, or i8 with an I that four divides.
bool fits_panels(const Tensor& weights);
// Rearranges the memory of `weights`, which then is to be used through the result alone. Throws ShapeError unless fits_panels().
Tensor to_panels(const Tensor& weights);

// Copies of some rows, or of all, one after the other: f32 [n, I], or quantised as they were [n, I + 4].
Tensor weight_rows(const Tensor& weights, std::span<const std::int32_t> rows);
Tensor weight_rows(const Tensor& weights);

// f32 [O, I]: the weights themselves when they are that, else what they stand for.
Tensor float_weights(const Tensor& weights);

}  // namespace attend
