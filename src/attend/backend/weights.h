// Weights W [O, I] of GEMMs and look-ups: f32, bf16, in 8 or in 4 bits, each plain or packed.
//
// bf16 weights are rounded to nearest even; a product with them is that of their values in f32.
//
// In 8 bits, W[o, i] ~ scale[o] q[o, i] with q in -127 .. 127 and one scale per row (output). The
// tensor is i8 [O, quantized_columns(I)]: a row holds its elements, then the 4 bytes of its scale,
// so a range of rows is such a matrix, too.
//
// In 4 bits, these integers are products of two smaller ones. Every 16 neighbors of a row, a group,
// share a factor: q[o, i] = f[o, i / 16] n[o, i] with n in -8 .. 7 and f one of the 16 odd numbers
// in -15 .. 15, so that |q| <= 120. Their signs let either end of a group reach -8. A GEMM with
// them has the bits of one with the same q in 8 bits. The tensor is i4
// [O, grouped_columns(I)], of bytes, with I a multiple of 16. A row holds
//
//   n + 8      two in a byte: byte 4 k + j has element 8 k + j, j < 4, in its low half, and element
//              8 k + 4 + j in its high half
//   (f+15)/2   two in a byte, the first in its low half
//   scale      4 bytes
//
// Packed weights (Backend::pack_weights) keep their shape. Their element type is opaque: only the
// backend knows their memory layout.
#pragma once

#include <cstdint>

#include "attend/tensor/tensor.h"

namespace attend {

// The type of packed weights that were f32, bf16, i8 or i4, and back.
constexpr DType packed_type(DType plain) {
  switch (plain) {
    case DType::i4:
      return DType::packed_i4;
    case DType::i8:
      return DType::packed_i8;
    case DType::bf16:
      return DType::packed_bf16;
    default:
      return DType::packed_f32;
  }
}
constexpr DType plain_type(DType weights) {
  switch (weights) {
    case DType::packed_i4:
      return DType::i4;
    case DType::packed_i8:
      return DType::i8;
    case DType::packed_bf16:
      return DType::bf16;
    case DType::packed_f32:
      return DType::f32;
    default:
      return weights;
  }
}

inline bool is_packed(const Tensor& weights) {
  return plain_type(weights.dtype()) != weights.dtype();
}
// In 8 or 4 bits. Products round their other operand, too.
constexpr bool is_quantized(DType weights) {
  return plain_type(weights) == DType::i8 || plain_type(weights) == DType::i4;
}
inline bool is_quantized(const Tensor& weights) { return is_quantized(weights.dtype()); }

// Columns of the i8 tensor for I elements per row.
constexpr std::int64_t quantized_columns(std::int64_t numbers) {
  return numbers + static_cast<std::int64_t>(sizeof(float));
}

inline constexpr std::int64_t kWeightGroup = 16;

// I elements in 4 bits have this many bytes of factors, and this many columns of the i4 tensor.
constexpr std::int64_t factor_bytes(std::int64_t numbers) {
  return (numbers / kWeightGroup + 1) / 2;
}
constexpr std::int64_t grouped_columns(std::int64_t numbers) {
  return quantized_columns(numbers / 2 + factor_bytes(numbers));
}

// Columns of the tensor for I elements per row, in a plain or packed type.
constexpr std::int64_t stored_columns(DType weights, std::int64_t numbers) {
  switch (plain_type(weights)) {
    case DType::i4:
      return grouped_columns(numbers);
    case DType::i8:
      return quantized_columns(numbers);
    default:
      return numbers;
  }
}

// I of weights [O, I] of any type.
inline std::int64_t weight_columns(const Tensor& weights) {
  const std::int64_t bytes = weights.cols() - quantized_columns(0);
  switch (plain_type(weights.dtype())) {
    case DType::i4: {
      constexpr std::int64_t kTwoGroups = kWeightGroup + 1;  // and their factors
      const bool one_more = bytes % kTwoGroups != 0;
      return (bytes / kTwoGroups * 2 + (one_more ? 1 : 0)) * kWeightGroup;
    }
    case DType::i8:
      return bytes;
    default:
      return weights.cols();
  }
}

// Weights in 8 or 4 bits as files hold them.
struct QuantizedParts {
  Tensor numbers;  // i8 [O, I]; in 4 bits u8 [O, I/2], n + 8 as above
  Tensor factors;  // in 4 bits u8 [O, factor_bytes(I)], (f+15)/2 as above; else undefined
  Tensor scales;   // [O]
};

}  // namespace attend
