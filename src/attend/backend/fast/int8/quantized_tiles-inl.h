// What all GEMMs with packed weights in 8 or 4 bits (cpu/packed_weights.h) share: a tile of y is
// the integer sums of a few rows by a few vectors of columns, kept in registers along the whole
// depth. A kernel is a class `Tile`:
//
//   kMostRows     rows of the largest tile, whose sums fit in registers
//   kRowUnit      tiles have a multiple of it, if there are so many rows
//   kVectors      vectors of columns
//   kInBytes      the activations are; then multiply_bytes() computes the tile with
//     kShifted                               sums are those with weights + 128
//     add_products<rows>(p, place, sums)     adds q . w to sums[row][vector], which are zeros
//     add_outlier(p, columns, outlier, sum)  adds high w, for one vector of columns
//   and otherwise
//     multiply<rows>(p, place)
#if defined(ATTEND_BACKEND_FAST_QUANTIZED_TILES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_QUANTIZED_TILES_INL_H
#undef ATTEND_BACKEND_FAST_QUANTIZED_TILES_INL_H
#else
#define ATTEND_BACKEND_FAST_QUANTIZED_TILES_INL_H
#endif

#include <utility>

#include "attend/backend/fast/int8/quantized.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

constexpr std::size_t kWidth = kPanelRows;

#if HWY_TARGET == HWY_SCALAR
constexpr std::size_t kShorts = 1;
#else
using Integers = hn::Repartition<std::int32_t, Floats>;
using Shorts = hn::Repartition<std::int16_t, Floats>;
using UnsignedBytes = hn::Repartition<std::uint8_t, Floats>;
using IntegerVector = hn::Vec<Integers>;
using ByteVector = hn::Vec<UnsignedBytes>;
constexpr std::size_t kShorts = hn::MaxLanes(Shorts());
constexpr std::size_t kIntegerLanes = hn::MaxLanes(Integers());

// Where a tile begins, and what comes after it.
struct TilePlace {
  std::size_t row, column;
  std::size_t next;          // the first column that is needed after these; `column` if none is
  std::size_t index, count;  // of the tiles of these columns
};

// A vector of columns in memory: its panel, and its bytes in each line of that, four per column.
struct PanelColumns {
  const std::uint8_t* panel;
  std::size_t offset;
};
HWY_INLINE PanelColumns columns_at(const QuantizedProduct& p, std::size_t column) {
  const std::size_t lane = column % kWidth;
  return {reinterpret_cast<const std::uint8_t*>(p.weights + (column - lane) * p.weights_stride),
          4 * lane};
}

HWY_INLINE IntegerVector load_integers(const std::uint8_t* from) {
  return hn::BitCast(Integers(), hn::LoadU(UnsignedBytes(), from));
}

// Adds to the sums of row `row` by the columns from `column` what bytes do not hold of the row.
template <class Tile>
HWY_INLINE void add_outliers(const QuantizedProduct& p, std::size_t row, std::size_t column,
                             IntegerVector* sums) {
  constexpr int kVectors = Tile::kVectors;
  const std::int32_t count = p.outlier_counts[row];
  if (HWY_LIKELY(count == 0)) return;
  PanelColumns columns[kVectors];
  IntegerVector high[kVectors];
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    columns[v] = columns_at(p, column + static_cast<std::size_t>(v) * kIntegerLanes);
    high[v] = hn::Zero(Integers());
  }
  const Outlier* const outliers = p.outliers + row * p.most_outliers;
  for (std::int32_t o = 0; o < count; ++o) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) Tile::add_outlier(p, columns[v], outliers[o], high[v]);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) sums[v] = hn::Add(sums[v], hn::ShiftLeft<8>(high[v]));
}

// The factor and bias of integer sums, for a vector of columns.
struct ColumnScales {
  FloatVector scale, bias;
};
HWY_INLINE ColumnScales column_scales(const QuantizedProduct& p, std::size_t column) {
  const Floats d;
  const auto [panel, offset] = columns_at(p, column);
  const std::size_t before = kWidth * (p.weights_stride - sizeof(float));
  return {hn::BitCast(d, load_integers(panel + before + offset)),
          p.bias == nullptr ? hn::Zero(d) : hn::LoadU(d, p.bias + column)};
}

// sums * row scale * column scale + bias, the last two in one rounding. If `shifted`, the sums are
// those with weights + 128.
template <bool shifted>
HWY_INLINE FloatVector scaled_sums(const QuantizedProduct& p, std::size_t row, IntegerVector sums,
                                   const ColumnScales& columns) {
  const Floats d;
  if constexpr (shifted) sums = hn::Sub(sums, hn::Set(Integers(), p.row_shifts[row]));
  const auto scale = hn::Mul(hn::Set(d, p.row_scales[row]), columns.scale);
  return hn::MulAdd(hn::ConvertTo(d, sums), scale, columns.bias);
}

// Writes a tile of `rows` rows whose activations are bytes.
template <int rows, class Tile>
HWY_INLINE void multiply_bytes(const Tile& tile, const QuantizedProduct& p,
                               const TilePlace& place) {
  constexpr int kVectors = Tile::kVectors;
  IntegerVector sums[rows][kVectors];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[r][v] = hn::Zero(Integers());
  }
  tile.template add_products<rows>(p, place, sums);
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r)
    add_outliers<Tile>(p, place.row + static_cast<std::size_t>(r), place.column, sums[r]);
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) {
    const std::size_t column = place.column + static_cast<std::size_t>(v) * kIntegerLanes;
    const ColumnScales columns = column_scales(p, column);
#pragma GCC unroll 12
    for (int r = 0; r < rows; ++r) {
      const std::size_t row = place.row + static_cast<std::size_t>(r);
      hn::StoreU(scaled_sums<Tile::kShifted>(p, row, sums[r][v], columns), Floats(),
                 p.y + row * p.y_stride + column);
    }
  }
}

template <class Tile, int rows>
HWY_NOINLINE void multiply_quantized_tile(const Tile& tile, const QuantizedProduct& p,
                                          const TilePlace& place) {
  if constexpr (Tile::kInBytes) {
    multiply_bytes<rows>(tile, p, place);
  } else {
    tile.template multiply<rows>(p, place);
  }
}

template <class Tile, class Counts = std::make_integer_sequence<int, Tile::kMostRows> >
struct QuantizedTiles;
template <class Tile, int... rows>
struct QuantizedTiles<Tile, std::integer_sequence<int, rows...> > {
  // For 1, 2, ... rows.
  static constexpr void (*kernels[])(const Tile&, const QuantizedProduct&, const TilePlace&) = {
      multiply_quantized_tile<Tile, rows + 1>...};
};

// All rows, distributed evenly, by the columns [begin, end), as far as these fill tiles. -> the end
// of those that do.
template <class Tile>
HWY_INLINE std::size_t multiply_quantized_tiles(const Tile& tile, const QuantizedProduct& p,
                                                std::size_t begin, std::size_t end) {
  constexpr std::size_t kColumns = Tile::kVectors * kIntegerLanes, kMost = Tile::kMostRows,
                        kUnit = Tile::kRowUnit;
  const std::size_t stop = begin + (end - begin) / kColumns * kColumns;
  const std::size_t count = (p.rows + kMost - 1) / kMost;
  for (std::size_t column = begin; column < stop; column += kColumns) {
    const std::size_t next = column + kColumns < stop ? column + kColumns : column;
    for (std::size_t index = 0, row = 0; index < count; ++index) {
      const std::size_t units = (p.rows - row + kUnit - 1) / kUnit, tiles = count - index;
      const std::size_t rows = HWY_MIN((units + tiles - 1) / tiles * kUnit, p.rows - row);
      QuantizedTiles<Tile>::kernels[rows - 1](tile, p, {row, column, next, index, count});
      row += rows;
    }
  }
  return stop;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
