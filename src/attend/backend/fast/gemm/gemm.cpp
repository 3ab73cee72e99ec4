#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/gemm/gemm.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/cpu/packed_weights.h"
#include "attend/backend/fast/gemm/gemm_few-inl.h"
#include "attend/backend/fast/gemm/gemm_kernel-inl.h"
#include "attend/backend/fast/gemm/gemm_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// A panel of b (kDepthBlock x two vectors) stays in the L1 cache, kRowBlock rows of a in L2, a
// chunk of panels in L3.
constexpr std::size_t kDepthBlock = kSumBlock;
constexpr std::size_t kRowBlock = 96;
constexpr std::size_t kChunk = 2048;

// Scratch memory of gemm_part for this many columns, in floats, aligned to a vector: a block of a,
// then panels of b.
std::size_t gemm_scratch(std::size_t columns) {
  return kDepthBlock * (HWY_MIN(columns + kTileColumns, kChunk) + kRowBlock);
}

// The extent of a tile: [0] rows, [1] columns.
std::size_t gemm_tile(bool columns) { return columns ? kTileColumns : kTileRows; }

// One block of the depth, and a rectangle of c.
struct Block {
  std::size_t k, depth;
  std::size_t row_begin, row_end;
  std::size_t column, columns;
};

HWY_INLINE TileOutput output_of(const Product& product, const Block& block) {
  const bool last = block.k + block.depth == static_cast<std::size_t>(product.depth);
  TileOutput out;
  out.stride = static_cast<std::size_t>(product.c_stride);
  out.c = product.c + block.row_begin * out.stride + block.column;
  out.columns = block.columns;
  out.beta = block.k == 0 ? product.beta : 1.0f;
  out.bias = last && product.bias != nullptr ? product.bias + block.column : nullptr;
  out.activation = last ? product.activation : Activation::none;
  return out;
}

// Prefetches the next tile of a, for the first panel that uses it.
HWY_INLINE void prefetch_rows(const float* a, std::size_t stride, std::size_t depth) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t r = 0; r < kTileRows; ++r) {
    for (std::size_t k = 0; k < depth; k += kLine) hwy::Prefetch(a + r * stride + k);
  }
}

// Columns [begin, end) of b in panels of `width`, `distance` elements apart: packed here with the
// width of a tile, or packed by cpu/packed_weights.h.
template <class Element>
struct Panels {
  const Element* data;
  std::size_t width, distance;
  std::size_t begin, end;

  TileInput<Element> at(std::size_t column) const {
    const std::size_t c = begin + column;
    TileInput<Element> input{data + c / width * distance + c % width, kLanes, width};
    if (kLanes == width)
      input.second = c + kLanes < end
                         ? distance
                         : 0;  // the second vector belongs to another panel, or does not exist
    return input;
  }
};

// Rows of a as read by multiply_tile: element (r, k) at data[r * row_step + k * k_step]; tiles are
// `tile_step` apart.
struct RowsOfA {
  const float* data;
  std::size_t row_step, k_step, tile_step;
};

// The rows of a block: in place, unless they are transposed or rounded.
HWY_INLINE RowsOfA rows_of_a(const Product& product, const Block& block, Packing packing,
                             float* packed) {
  const auto stride = static_cast<std::size_t>(product.a_stride);
  const std::size_t rows = block.row_end - block.row_begin,
                    depth = packed_depth(block.depth, packing);
  if (product.transpose_a) {
    pack_transposed_a({product.a + block.k * stride + block.row_begin, stride}, rows, block.depth,
                      packing, packed);
    return {packed, 1, kTileRows, kTileRows * depth};
  }
  const Operand a{product.a + block.row_begin * stride + block.k, stride};
  if (packing == Packing::floats) return {a.data, stride, 1, kTileRows * stride};
  pack_a(a, rows, block.depth, packing, packed);
  return {packed, depth, 1, kTileRows * depth};
}

// Multiplies a chunk of columns in panels by at most kRowBlock rows.
template <class Element>
HWY_INLINE void multiply_block(const Product& product, const Block& block,
                               const Panels<Element>& panels, float* packed_a) {
  const Packing packing = packing_of(product);
  const MultiplyTile<Element>* kernels = tile_kernels<Element>(packing);
  const std::size_t depth = packed_depth(block.depth, packing);
  const RowsOfA a = rows_of_a(product, block, packing, packed_a);
  const bool in_place = packing == Packing::floats && !product.transpose_a;
  const std::size_t row_tiles = (block.row_end - block.row_begin + kTileRows - 1) / kTileRows;
  for (std::size_t column = 0; column < block.columns; column += kTileColumns) {
    Block tile = block;
    tile.column += column;
    tile.columns = HWY_MIN(kTileColumns, block.columns - column);
    TileOutput out = output_of(product, tile);
    TileInput<Element> input = panels.at(column);
    if (column + kTileColumns < block.columns) {
      // The tiles of this panel share the work of fetching the next one.
      input.ahead = panels.at(column + kTileColumns).first;
      input.ahead_step = (input.step + row_tiles - 1) / row_tiles;
    }
    const float* from = a.data;
    for (std::size_t row = block.row_begin; row < block.row_end;
         row += kTileRows, from += a.tile_step, out.c += kTileRows * out.stride) {
      const std::size_t rows = HWY_MIN(static_cast<std::size_t>(kTileRows), block.row_end - row);
      if (column == 0 && in_place) prefetch_rows(from + a.tile_step, a.row_step, block.depth);
      kernels[rows - 1](from, a.row_step, a.k_step, input, depth, out);
      input.ahead += depth * input.ahead_step;
    }
  }
}

// Packs columns of b into panels.
HWY_INLINE Panels<float> pack_block(const Product& product, const Block& block, float* panels) {
  const Packing packing = packing_of(product);
  const auto stride = static_cast<std::size_t>(product.b_stride);
  if (product.transpose_b) {
    pack_transposed_b({product.b + block.column * stride + block.k, stride}, block.depth,
                      block.columns, packing, panels);
  } else {
    pack_b({product.b + block.k * stride + block.column, stride}, block.depth, block.columns,
           packing, panels);
  }
  return {panels, kTileColumns, packed_depth(block.depth, packing) * kTileColumns, 0,
          block.columns};
}

// Multiplies columns of one depth block by all rows.
template <class Element>
HWY_INLINE void multiply_rows(const Product& product, const Block& block,
                              const Panels<Element>& panels, float* packed_a) {
  Block rows = block;
  for (std::size_t row = block.row_begin; row < block.row_end; row += kRowBlock) {
    rows.row_begin = row;
    rows.row_end = HWY_MIN(row + kRowBlock, block.row_end);
    multiply_block(product, rows, panels, packed_a);
  }
}

// Multiplies columns in the panels of cpu/packed_weights.h, from the first panel.
template <class Element>
HWY_INLINE void multiply_panels(const Product& product, const Block& block, const Element* first,
                                float* packed_a) {
  constexpr std::size_t kWidth = kPanelRows;
  static_assert(kWidth % kLanes == 0, "a vector lies in one panel");
  const auto depth = static_cast<std::size_t>(product.depth);
  Block chunk = block;
  for (std::size_t column = 0; column < block.columns; column += kChunk) {
    chunk.column = block.column + column;
    chunk.columns = HWY_MIN(kChunk, block.columns - column);
    const Panels<Element> panels{first + block.k * kWidth, kWidth, kWidth * depth, chunk.column,
                                 chunk.column + chunk.columns};
    multiply_rows(product, chunk, panels, packed_a);
  }
}

void gemm_part(const Product& product, const ProductPart& part, float* scratch) {
  const auto depth = static_cast<std::size_t>(product.depth);
  const auto row_begin = static_cast<std::size_t>(part.row_begin),
             row_end = static_cast<std::size_t>(part.row_end);
  const auto column_begin = static_cast<std::size_t>(part.column_begin),
             column_end = static_cast<std::size_t>(part.column_end);
  const std::size_t panels_end =
      HWY_MAX(column_begin, HWY_MIN(column_end, static_cast<std::size_t>(product.panel_columns)));
  float* panels = scratch + kDepthBlock * kRowBlock;
  // With few rows a panel is used at once, while it is in the L1 cache; but rounding rows pays only
  // for all columns together.
  std::size_t chunk =
      row_end - row_begin <= kRowBlock && product.operand_precision == Precision::f32 ? kTileColumns
                                                                                      : kChunk;
#if HWY_TARGET != HWY_SCALAR
  const bool few = row_end - row_begin <= kFewRows && product.transpose_b && !product.transpose_a &&
                   product.operand_precision == Precision::f32;
  if (few) chunk = kFewColumns;
#endif
  for (std::size_t k = 0; k < depth; k += kDepthBlock) {
    const std::size_t k_count = HWY_MIN(kDepthBlock, depth - k);
    if (column_begin < panels_end) {
      const Block block{k, k_count, row_begin, row_end, column_begin, panels_end - column_begin};
      if (product.bf16_panels != nullptr) {
        multiply_panels(product, block, product.bf16_panels, scratch);
      } else {
        multiply_panels(product, block, product.b, scratch);
      }
    }
    for (std::size_t column = panels_end; column < column_end; column += chunk) {
      const Block block{k,       k_count, row_begin,
                        row_end, column,  HWY_MIN(chunk, column_end - column)};
#if HWY_TARGET != HWY_SCALAR
      if (few && block.columns % kTileColumns == 0) {
        const auto a_stride = static_cast<std::size_t>(product.a_stride),
                   b_stride = static_cast<std::size_t>(product.b_stride);
        const Operand a{product.a + row_begin * a_stride + k, a_stride};
        const Operand b{product.b + column * b_stride + k, b_stride};
        multiply_few_rows(row_end - row_begin, a, b, block.depth, output_of(product, block));
        continue;
      }
#endif
      multiply_rows(product, block, pack_block(product, block, panels), scratch);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/core/threads/parallel.h"

namespace attend {

HWY_EXPORT(gemm_scratch);
HWY_EXPORT(gemm_tile);
HWY_EXPORT(gemm_part);

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

// The number of parts for the rows and columns of c.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

// The grid with the cheapest largest part: tiles to compute, plus its share of packing b (and a, if
// transposed or rounded).
Grid choose_grid(const Product& product, std::int64_t tile_rows, std::int64_t tile_columns) {
  constexpr double kWorthSharing = 1 << 17;  // multiplications
  const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                      static_cast<double>(product.depth);
  const std::int64_t workers =
      work < 2 * kWorthSharing
          ? 1
          : std::min<std::int64_t>(threads(), static_cast<std::int64_t>(work / kWorthSharing));
  const bool packs_a = product.transpose_a || product.operand_precision != Precision::f32;
  Grid best;
  double best_cost = 0.0;
  for (std::int64_t rows = 1; rows <= workers; ++rows) {
    const Grid grid{rows, workers / rows};
    const auto height =
        static_cast<double>(round_up((product.rows + grid.rows - 1) / grid.rows, tile_rows));
    const auto width = static_cast<double>(
        round_up((product.columns + grid.columns - 1) / grid.columns, tile_columns));
    // Cost of packing an element, in multiplications.
    constexpr double kPacking = 8.0;
    const double cost = height * width + kPacking * (width + (packs_a ? height : 0.0));
    if (rows == 1 || cost < best_cost) {
      best = grid;
      best_cost = cost;
    }
  }
  return best;
}

}  // namespace

void gemm(const Product& product) {
  const auto tile = HWY_DYNAMIC_DISPATCH(gemm_tile);
  const auto tile_rows = static_cast<std::int64_t>(tile(false)),
             tile_columns = static_cast<std::int64_t>(tile(true));
  const Grid grid = choose_grid(product, tile_rows, tile_columns);
  const std::int64_t height = round_up((product.rows + grid.rows - 1) / grid.rows, tile_rows);
  const std::int64_t width =
      round_up((product.columns + grid.columns - 1) / grid.columns, tile_columns);
  const auto kernel = HWY_DYNAMIC_DISPATCH(gemm_part);
  const auto scratch_size = static_cast<std::int64_t>(
      HWY_DYNAMIC_DISPATCH(gemm_scratch)(static_cast<std::size_t>(width)));
  parallel_for(grid.rows * grid.columns, 1, [&](std::int64_t begin, std::int64_t end) {
    const Tensor scratch = Tensor::empty({scratch_size});
    for (std::int64_t i = begin; i < end; ++i) {
      ProductPart part;
      part.row_begin = std::min(product.rows, i / grid.columns * height);
      part.row_end = std::min(product.rows, part.row_begin + height);
      part.column_begin = std::min(product.columns, i % grid.columns * width);
      part.column_end = std::min(product.columns, part.column_begin + width);
      if (part.row_begin < part.row_end && part.column_begin < part.column_end)
        kernel(product, part, scratch.data());
    }
  });
}

}  // namespace attend
#endif
