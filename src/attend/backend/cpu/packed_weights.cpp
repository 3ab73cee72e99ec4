#include "attend/backend/cpu/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/core/parallel.h"
#include "attend/error.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

constexpr std::int64_t kGrain = 1 << 16;  // elements per thread

std::size_t row_bytes(const Tensor& weights) {
  return static_cast<std::size_t>(weights.cols()) * size_of(weights.dtype());
}

// Between a plain row and row `row` of a panel.
template <class T>
void spread(const T* from, std::int64_t row, std::int64_t columns, T* panel) {
  for (std::int64_t i = 0; i < columns; ++i) panel[i * kPanelRows + row] = from[i];
}

template <class T>
void collect(const T* panel, std::int64_t row, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < columns; ++i) to[i] = panel[i * kPanelRows + row];
}

// The same for 8 bits, with a scale after each row and all scales after the panel.
constexpr std::int64_t kTogether = 4;  // adjacent elements of a row
constexpr std::uint32_t kSigns = 0x80808080;

// Adds or subtracts 128 in four bytes.
void copy_shifted(const std::int8_t* from, std::int8_t* to) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, from, kTogether);
  bytes ^= kSigns;
  std::memcpy(to, &bytes, kTogether);
}

void spread(const std::int8_t* from, std::int64_t row, std::int64_t columns, std::int8_t* panel) {
  for (std::int64_t i = 0; i < columns; i += kTogether)
    copy_shifted(from + i, panel + i * kPanelRows + kTogether * row);
  std::memcpy(panel + kPanelRows * columns + row * kQuantizedScaleBytes, from + columns,
              kQuantizedScaleBytes);
}

void collect(const std::int8_t* panel, std::int64_t row, std::int64_t columns, std::int8_t* to) {
  for (std::int64_t i = 0; i < columns; i += kTogether)
    copy_shifted(panel + i * kPanelRows + kTogether * row, to + i);
  std::memcpy(to + columns, panel + kPanelRows * columns + row * kQuantizedScaleBytes,
              kQuantizedScaleBytes);
}

// The same for 4 bits, whose rows are bytes.
void spread(const std::byte* from, std::int64_t row, std::int64_t columns, std::byte* panel) {
  for (std::int64_t i = 0; i < columns / 2; i += kTogether)
    std::memcpy(panel + i * kPanelRows + kTogether * row, from + i, kTogether);
  from += columns / 2;
  panel += kPanelRows * columns / 2;
  for (std::int64_t i = 0; i < factor_bytes(columns); ++i) panel[i * kPanelRows + row] = from[i];
  from += factor_bytes(columns);
  panel += kPanelRows * factor_bytes(columns);
  std::memcpy(panel + row * kQuantizedScaleBytes, from, kQuantizedScaleBytes);
}

void collect(const std::byte* panel, std::int64_t row, std::int64_t columns, std::byte* to) {
  for (std::int64_t i = 0; i < columns / 2; i += kTogether)
    std::memcpy(to + i, panel + i * kPanelRows + kTogether * row, kTogether);
  to += columns / 2;
  panel += kPanelRows * columns / 2;
  for (std::int64_t i = 0; i < factor_bytes(columns); ++i) to[i] = panel[i * kPanelRows + row];
  to += factor_bytes(columns);
  panel += kPanelRows * factor_bytes(columns);
  std::memcpy(to, panel + row * kQuantizedScaleBytes, kQuantizedScaleBytes);
}

template <class T>
T* row_of(const Tensor& weights, std::int64_t row) {
  return reinterpret_cast<T*>(weights.row_bytes(row));
}

template <class T>
void rearrange(const Tensor& weights) {
  const std::int64_t columns = weight_columns(weights);
  parallel_for(weights.rows() / kPanelRows, kGrain / (kPanelRows * (columns + 1)) + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t first = begin * kPanelRows; first < end * kPanelRows;
                      first += kPanelRows) {
                   const Tensor rows = weights.slice_rows(first, first + kPanelRows).clone();
                   for (std::int64_t row = 0; row < kPanelRows; ++row)
                     spread(row_of<T>(rows, row), row, columns, row_of<T>(weights, first));
                 }
               });
}

// bf16 [O, I] as f32.
Tensor widen_weights(const Tensor& weights) {
  const Tensor wide = Tensor::empty({weights.rows(), weights.cols()});
  for (std::int64_t row = 0; row < weights.rows(); ++row) {
    const std::uint16_t* from = weights.row<std::uint16_t>(row);
    std::transform(from, from + weights.cols(), wide.row(row), float_of_bf16);
  }
  return wide;
}

}  // namespace

bool can_pack(const Tensor& weights) {
  const bool kind = weights.dtype() == DType::f32 || weights.dtype() == DType::bf16 ||
                    weights.dtype() == DType::i4 ||
                    (weights.dtype() == DType::i8 && weight_columns(weights) % kTogether == 0);
  return kind && weights.shape().rank() == 2 && weights.contiguous() &&
         weights.rows() >= kPanelRows;
}

Tensor pack_weights(const Tensor& weights) {
  if (!can_pack(weights)) return weights;
  if (weights.dtype() == DType::i4) {
    rearrange<std::byte>(weights);
  } else if (weights.dtype() == DType::i8) {
    rearrange<std::int8_t>(weights);
  } else if (weights.dtype() == DType::bf16) {
    rearrange<std::uint16_t>(weights);
  } else {
    rearrange<float>(weights);
  }
  return weights.as(packed_type(weights.dtype()));
}

Tensor select_weights(const Tensor& weights, std::span<const std::int32_t> rows) {
  const DType dtype = plain_type(weights.dtype());
  if (dtype != DType::f32 && dtype != DType::bf16 && !is_quantized(dtype))
    throw ShapeError(
        fmt::format("[select_weights] expected weights, got {}", name_of(weights.dtype())));
  const Tensor result = Tensor::empty({std::ssize(rows), weights.cols()}, dtype);
  const std::int64_t columns = weight_columns(weights), arranged = packed_rows(weights);
  const auto stride = static_cast<std::size_t>(weights.row_stride()) * size_of(weights.dtype());
  parallel_for(
      result.rows(), kGrain / (columns + 1) + 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t n = begin; n < end; ++n) {
          const std::int64_t row = rows[static_cast<std::size_t>(n)], lane = row % kPanelRows;
          const std::byte* panel = weights.bytes() + static_cast<std::size_t>(row - lane) * stride;
          if (row >= arranged) {
            std::memcpy(result.slice_rows(n, n + 1).bytes(),
                        weights.bytes() + static_cast<std::size_t>(row) * stride,
                        row_bytes(weights));
          } else if (dtype == DType::f32) {
            collect(reinterpret_cast<const float*>(panel), lane, columns, result.row(n));
          } else if (dtype == DType::i4) {
            collect(panel, lane, columns, result.row_bytes(n));
          } else if (dtype == DType::bf16) {
            collect(reinterpret_cast<const std::uint16_t*>(panel), lane, columns,
                    result.row<std::uint16_t>(n));
          } else {
            collect(reinterpret_cast<const std::int8_t*>(panel), lane, columns,
                    result.row<std::int8_t>(n));
          }
        }
      });
  return result;
}

Tensor unpack_weights(const Tensor& weights) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(weights.rows()));
  std::iota(all.begin(), all.end(), 0);
  return select_weights(weights, all);
}

Tensor float_weights(const Tensor& weights) {
  const Tensor rows = is_packed(weights) ? unpack_weights(weights) : weights;
  if (rows.dtype() == DType::bf16) return widen_weights(rows);
  if (rows.dtype() == DType::i4) return dequantize_weights(in_eight_bits(rows));
  return is_quantized(rows) ? dequantize_weights(rows) : rows;
}

}  // namespace attend
