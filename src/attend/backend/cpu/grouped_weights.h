// 4-bit weights (weights.h) in host memory.
#pragma once

#include "attend/backend/weights.h"

namespace attend {

// f32 [O, I] in 4 bits. The scale of a row is its largest magnitude / 120. Each group takes the
// factor with which its rounded elements have the smallest squared error. A row whose elements are
// all below kQuantizedVanishing becomes zeros. Throws ShapeError unless `weights` is a matrix with
// I a multiple of kWeightGroup, DataError if an element is not finite.
Tensor group_weights(const Tensor& weights);

// The same values in 8 bits: i4 [O, grouped_columns(I)], not packed, as i8 [O,
// quantized_columns(I)].
Tensor in_eight_bits(const Tensor& grouped);

}  // namespace attend
