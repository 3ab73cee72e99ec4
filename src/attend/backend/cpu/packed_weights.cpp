#include "attend/backend/cpu/packed_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "attend/backend/cpu/grouped_weights.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"
#include "attend/tensor/bf16.h"

namespace attend {

namespace {

constexpr std::int64_t kGrain = 1 << 16;  // elements per thread

std::size_t row_bytes(const Tensor& weights) {
  return static_cast<std::size_t>(weights.cols()) * size_of(weights.dtype());
}

// Rows of `count` units, 16 of them `row_bytes` apart, as a panel in which the units of a column
// are adjacent. In tiles, whose lines stay in the innermost cache.
template <class Unit, class Change>
void spread(const std::byte* rows, std::size_t row_bytes, std::int64_t count, std::byte* panel,
            const Change& change) {
  constexpr std::int64_t kTile = 16;
  for (std::int64_t first = 0; first < count; first += kTile) {
    const std::int64_t end = std::min(first + kTile, count);
    for (std::int64_t row = 0; row < kPanelRows; ++row) {
      const std::byte* const from = rows + static_cast<std::size_t>(row) * row_bytes;
      for (std::int64_t i = first; i < end; ++i) {
        Unit unit{};
        std::memcpy(&unit, from + static_cast<std::size_t>(i) * sizeof unit, sizeof unit);
        unit = change(unit);
        std::memcpy(panel + static_cast<std::size_t>(i * kPanelRows + row) * sizeof unit, &unit,
                    sizeof unit);
      }
    }
  }
}

// From a panel to row `row`.
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

void collect(const std::int8_t* panel, std::int64_t row, std::int64_t columns, std::int8_t* to) {
  for (std::int64_t i = 0; i < columns; i += kTogether)
    copy_shifted(panel + i * kPanelRows + kTogether * row, to + i);
  std::memcpy(to + columns, panel + kPanelRows * columns + row * kQuantizedScaleBytes,
              kQuantizedScaleBytes);
}

// The same for 4 bits, whose rows are bytes.
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

// 16 rows as a panel.
void spread_panel(const Tensor& rows, std::byte* panel) {
  const auto as_it_is = [](auto unit) { return unit; };
  const std::byte* from = rows.bytes();
  const std::size_t bytes = row_bytes(rows);
  const std::int64_t columns = weight_columns(rows);
  // The next parts of the rows, as the next part of the panel.
  const auto add = [&]<class Unit>(std::int64_t count, const auto& change, Unit) {
    spread<Unit>(from, bytes, count, panel, change);
    const auto size = static_cast<std::size_t>(count) * sizeof(Unit);
    from += size;
    panel += kPanelRows * size;
  };
  if (rows.dtype() == DType::f32) return add(columns, as_it_is, std::uint32_t{});
  if (rows.dtype() == DType::bf16) return add(columns, as_it_is, std::uint16_t{});
  if (rows.dtype() == DType::i8) {
    add(
        columns / kTogether, [](std::uint32_t unit) { return unit ^ kSigns; }, std::uint32_t{});
  } else {
    add(columns / 2 / kTogether, as_it_is, std::uint32_t{});
    add(factor_bytes(columns), as_it_is, std::uint8_t{});
  }
  static_assert(kQuantizedScaleBytes == sizeof(std::uint32_t));
  add(1, as_it_is, std::uint32_t{});
}

void rearrange(const Tensor& weights) {
  parallel_for(weights.rows() / kPanelRows, kGrain / (kPanelRows * (weights.cols() + 1)) + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t first = begin * kPanelRows; first < end * kPanelRows;
                      first += kPanelRows)
                   spread_panel(weights.slice_rows(first, first + kPanelRows).clone(),
                                weights.row_bytes(first));
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
  rearrange(weights);
  return weights.as(packed_type(weights.dtype()));
}

Tensor padded_panel(const Tensor& rows) {
  const DType type = plain_type(rows.dtype());
  const std::int64_t columns = weight_columns(rows),
                     padded = (columns + kTogether - 1) / kTogether * kTogether;
  const Tensor whole = Tensor::zeros({kPanelRows, stored_columns(type, padded)}, type);
  const Tensor panel = Tensor::empty(whole.shape(), type);
  const std::size_t elements = row_bytes(rows) - sizeof(float);
  for (std::int64_t row = 0; row < rows.rows(); ++row) {
    std::memcpy(whole.row_bytes(row), rows.row_bytes(row), elements);
    std::memcpy(whole.row_bytes(row) + row_bytes(whole) - sizeof(float),
                rows.row_bytes(row) + elements, sizeof(float));
  }
  spread_panel(whole, panel.bytes());
  return panel.as(packed_type(type));
}

namespace {

// Row `row` of weights of any type, unpacked, as row n of `to`.
void take_row(const Tensor& weights, std::int64_t row, const Tensor& to, std::int64_t n) {
  const std::int64_t columns = weight_columns(weights), lane = row % kPanelRows;
  const auto stride = static_cast<std::size_t>(weights.row_stride()) * size_of(weights.dtype());
  const std::byte* panel = weights.bytes() + static_cast<std::size_t>(row - lane) * stride;
  if (row >= packed_rows(weights)) {
    std::memcpy(to.slice_rows(n, n + 1).bytes(),
                weights.bytes() + static_cast<std::size_t>(row) * stride, row_bytes(weights));
  } else if (to.dtype() == DType::f32) {
    collect(reinterpret_cast<const float*>(panel), lane, columns, to.row(n));
  } else if (to.dtype() == DType::i4) {
    collect(panel, lane, columns, to.row_bytes(n));
  } else if (to.dtype() == DType::bf16) {
    collect(reinterpret_cast<const std::uint16_t*>(panel), lane, columns, to.row<std::uint16_t>(n));
  } else {
    collect(reinterpret_cast<const std::int8_t*>(panel), lane, columns, to.row<std::int8_t>(n));
  }
}

void take_rows(const Tensor& weights, std::span<const std::int32_t> rows, const Tensor& to) {
  parallel_for(to.rows(), kGrain / (weight_columns(weights) + 1) + 1,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t n = begin; n < end; ++n)
                   take_row(weights, rows[static_cast<std::size_t>(n)], to, n);
               });
}

std::vector<std::int32_t> all_rows(const Tensor& weights) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(weights.rows()));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

Tensor select_weights(const Tensor& weights, std::span<const std::int32_t> rows) {
  const DType dtype = plain_type(weights.dtype());
  if (dtype != DType::f32 && dtype != DType::bf16 && !is_quantized(dtype))
    throw ShapeError(
        fmt::format("[select_weights] expected weights, got {}", name_of(weights.dtype())));
  const Tensor result = Tensor::empty({std::ssize(rows), weights.cols()}, dtype);
  take_rows(weights, rows, result);
  return result;
}

Tensor unpack_weights(const Tensor& weights) { return select_weights(weights, all_rows(weights)); }

Tensor rows_of_panels(const Tensor& weights) {
  const Tensor rows = Tensor::empty_on_host(weights.shape(), plain_type(weights.dtype()));
  take_rows(weights, all_rows(weights), rows);
  return rows;
}

Tensor float_weights(const Tensor& weights) {
  const Tensor rows = is_packed(weights) ? unpack_weights(weights) : weights;
  if (rows.dtype() == DType::bf16) return widen_weights(rows);
  if (rows.dtype() == DType::i4) return dequantize_weights(in_eight_bits(rows));
  return is_quantized(rows) ? dequantize_weights(rows) : rows;
}

}  // namespace attend
