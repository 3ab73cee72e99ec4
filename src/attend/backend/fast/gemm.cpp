#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attend/backend/fast/gemm.cpp"
#include "attend/backend/fast/targets.h"
// must come between the two
#include "hwy/foreach_target.h"

#include "attend/backend/fast/gemm_few-inl.h"
#include "attend/backend/fast/gemm_kernel-inl.h"
#include "attend/tensor/panels.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// A panel of b (kDepthBlock x two vectors) stays in the first-level cache, kRowBlock rows of a in the second, a chunk of panels in the
// third.
constexpr std::size_t kDepthBlock = 256;
constexpr std::size_t kRowBlock = 96;
constexpr std::size_t kChunk = 2048;

// Floats of scratch memory that gemm_part wants for so many columns, aligned to a vector: a block of a, then panels of b.
std::size_t gemm_scratch(std::size_t columns) { return kDepthBlock * (HWY_MIN(columns + kTileColumns, kChunk) + kRowBlock); }

// The tile's extent: [0] rows, [1] columns.
std::size_t gemm_tile(bool columns) { return columns ? kTileColumns : kTileRows; }

HWY_INLINE void copy_tile_rows(const float* from, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (int r = 0; r < kTileRows; ++r) to[r] = from[r];
#else
  const hn::FixedTag<float, 4> four;
  const hn::FixedTag<float, 2> two;
  static_assert(kTileRows == 6 || kTileRows == 12);
  hn::StoreU(hn::LoadU(four, from), four, to);
  if constexpr (kTileRows == 6) {
    hn::StoreU(hn::LoadU(two, from + 4), two, to + 4);
  } else {
    hn::StoreU(hn::LoadU(four, from + 4), four, to + 4);
    hn::StoreU(hn::LoadU(four, from + 8), four, to + 8);
  }
#endif
}

// Rows [begin, end) of a transposed a, rearranged: [row / kTileRows][k][row % kTileRows]. Tiles then read one cache line after the other.
// A few k at a time, so that a cache line of a, which several tiles share, is fetched once.
HWY_INLINE void pack_a(const Product& product, std::size_t begin, std::size_t end, std::size_t k, std::size_t depth, float* packed) {
  const auto stride = static_cast<std::size_t>(product.a_stride);
  constexpr std::size_t kStreams = 8;
  for (std::size_t first = 0; first < depth; first += kStreams) {
    const std::size_t count = HWY_MIN(kStreams, depth - first);
    for (std::size_t row = begin; row < end; row += kTileRows) {
      const float* from = product.a + (k + first) * stride + row;
      float* to = packed + (row - begin) * depth + first * kTileRows;
      if (row + kTileRows <= end) {
        for (std::size_t i = 0; i < count; ++i, from += stride, to += kTileRows) {
          hwy::Prefetch(from + kStreams * stride);
          copy_tile_rows(from, to);
        }
      } else {
        for (std::size_t i = 0; i < count; ++i, from += stride, to += kTileRows) {
          for (std::size_t r = 0; row + r < end; ++r) to[r] = from[r];
        }
      }
    }
  }
}

// One block of the depth and a rectangle of c.
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

// The next tile of a, which the first panel meets first.
HWY_INLINE void prefetch_rows(const float* a, std::size_t stride, std::size_t depth) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (std::size_t r = 0; r < kTileRows; ++r) {
    for (std::size_t k = 0; k < depth; k += kLine) hwy::Prefetch(a + r * stride + k);
  }
}

// Columns [begin, end) of b in panels of `width`, `distance` floats from one to the next: those packed here, as wide as a tile, or those
// of tensor/panels.h.
struct Panels {
  const float* data;
  std::size_t width, distance;
  std::size_t begin, end;

  TileInput at(std::size_t column) const {
    const std::size_t c = begin + column;
    TileInput input{data + c / width * distance + c % width, kLanes, width};
    if (kLanes == width) input.second = c + kLanes < end ? distance : 0;  // the second vector is another panel's, or there is none
    return input;
  }
};

// Rows of a as multiply_tile reads them: element (r, k) at data[r * row_step + k * k_step], the next tile `tile_step` on.
struct RowsOfA {
  const float* data;
  std::size_t row_step, k_step, tile_step;
};

// The rows of a block: where they are, unless they are transposed or rounded.
HWY_INLINE RowsOfA rows_of_a(const Product& product, const Block& block, Packing packing, float* packed) {
  const auto stride = static_cast<std::size_t>(product.a_stride);
  if (product.transpose_a) {
    pack_a(product, block.row_begin, block.row_end, block.k, block.depth, packed);
    for (std::size_t row = block.row_begin; row < block.row_end; row += kTileRows)
      narrow_rows(packed + (row - block.row_begin) * block.depth, block.depth, kTileRows, packing);
    return {packed, 1, kTileRows, kTileRows * block.depth};
  }
  const float* a = product.a + block.row_begin * stride + block.k;
  if (packing == Packing::floats) return {a, stride, 1, kTileRows * stride};
  for (std::size_t row = 0; row < block.row_end - block.row_begin; ++row)
    narrow_row(a + row * stride, block.depth, packed + row * block.depth, packing);
  return {packed, block.depth, 1, kTileRows * block.depth};
}

// A chunk of columns in panels against at most kRowBlock rows.
HWY_INLINE void multiply_block(const Product& product, const Block& block, const Panels& panels, float* packed_a) {
  const Packing packing = packing_of(product);
  const MultiplyTile* kernels = tile_kernels(packing);
  const std::size_t depth = packed_depth(block.depth, packing);
  const RowsOfA a = rows_of_a(product, block, packing, packed_a);
  const bool in_place = packing == Packing::floats && !product.transpose_a;
  for (std::size_t column = 0; column < block.columns; column += kTileColumns) {
    Block tile = block;
    tile.column += column;
    tile.columns = HWY_MIN(kTileColumns, block.columns - column);
    TileOutput out = output_of(product, tile);
    const TileInput input = panels.at(column);
    const float* from = a.data;
    for (std::size_t row = block.row_begin; row < block.row_end; row += kTileRows, from += a.tile_step, out.c += kTileRows * out.stride) {
      const std::size_t rows = HWY_MIN(static_cast<std::size_t>(kTileRows), block.row_end - row);
      if (column == 0 && in_place) prefetch_rows(from + a.tile_step, a.row_step, block.depth);
      kernels[rows - 1](from, a.row_step, a.k_step, input, depth, out);
    }
  }
}

HWY_INLINE void pack_b(const Product& product, const Block& block, float* panels) {
  const auto stride = static_cast<std::size_t>(product.b_stride);
  if (!product.transpose_b) pack_rows(product.b + block.k * stride + block.column, stride, block.depth, block.columns, panels);
  for (std::size_t c = 0; c < block.columns; c += kTileColumns) {
    float* panel = panels + c * block.depth;
    if (product.transpose_b) {
      const std::size_t width = HWY_MIN(kTileColumns, block.columns - c);
      pack_columns(product.b + (block.column + c) * stride + block.k, stride, block.depth, width, panel);
    }
    narrow_rows(panel, block.depth, kTileColumns, packing_of(product));
  }
}

// Columns of one block of the depth against all its rows.
HWY_INLINE void multiply_rows(const Product& product, const Block& block, const Panels& panels, float* packed_a) {
  Block rows = block;
  for (std::size_t row = block.row_begin; row < block.row_end; row += kRowBlock) {
    rows.row_begin = row;
    rows.row_end = HWY_MIN(row + kRowBlock, block.row_end);
    multiply_block(product, rows, panels, packed_a);
  }
}

// Columns that lie in the panels of tensor/panels.h.
HWY_INLINE void multiply_panels(const Product& product, const Block& block, float* packed_a) {
  constexpr std::size_t kWidth = kPanelRows;
  static_assert(kWidth % kLanes == 0, "a vector lies in one panel");
  const auto depth = static_cast<std::size_t>(product.depth);
  Block chunk = block;
  for (std::size_t column = 0; column < block.columns; column += kChunk) {
    chunk.column = block.column + column;
    chunk.columns = HWY_MIN(kChunk, block.columns - column);
    const float* data = product.b + block.k * kWidth;
    multiply_rows(product, chunk, {data, kWidth, kWidth * depth, chunk.column, chunk.column + chunk.columns}, packed_a);
  }
}

void gemm_part(const Product& product, const ProductPart& part, float* scratch) {
  const auto depth = static_cast<std::size_t>(product.depth);
  const auto row_begin = static_cast<std::size_t>(part.row_begin), row_end = static_cast<std::size_t>(part.row_end);
  const auto column_begin = static_cast<std::size_t>(part.column_begin), column_end = static_cast<std::size_t>(part.column_end);
  const std::size_t panels_end = HWY_MAX(column_begin, HWY_MIN(column_end, static_cast<std::size_t>(product.panel_columns)));
  float* panels = scratch + kDepthBlock * kRowBlock;
  // Few rows: a panel is used at once, while it is in the first-level cache; but rows that have to be rounded are for all columns.
  std::size_t chunk = row_end - row_begin <= kRowBlock && product.factors == Factors::f32 ? kTileColumns : kChunk;
#if HWY_TARGET != HWY_SCALAR
  const bool few = row_end - row_begin <= kFewRows && product.transpose_b && !product.transpose_a && product.factors == Factors::f32;
  if (few) chunk = kFewColumns;
#endif
  for (std::size_t k = 0; k < depth; k += kDepthBlock) {
    const std::size_t k_count = HWY_MIN(kDepthBlock, depth - k);
    if (column_begin < panels_end)
      multiply_panels(product, {k, k_count, row_begin, row_end, column_begin, panels_end - column_begin}, scratch);
    for (std::size_t column = panels_end; column < column_end; column += chunk) {
      const Block block{k, k_count, row_begin, row_end, column, HWY_MIN(chunk, column_end - column)};
#if HWY_TARGET != HWY_SCALAR
      if (few && block.columns % kTileColumns == 0) {
        const auto a_stride = static_cast<std::size_t>(product.a_stride), b_stride = static_cast<std::size_t>(product.b_stride);
        const Operand a{product.a + row_begin * a_stride + k, a_stride};
        const Operand b{product.b + column * b_stride + k, b_stride};
        multiply_few_rows(row_end - row_begin, a, b, block.depth, output_of(product, block));
        continue;
      }
#endif
      pack_b(product, block, panels);
      multiply_rows(product, block, {panels, kTileColumns, block.depth * kTileColumns, 0, block.columns}, scratch);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>

#include "attend/core/parallel.h"

namespace attend {

HWY_EXPORT(gemm_scratch);
HWY_EXPORT(gemm_tile);
HWY_EXPORT(gemm_part);

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }

// How many parts the rows and the columns of c are divided into.
struct Grid {
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

// The grid whose largest part costs least: tiles to compute, and a share of b (and of a transposed a) to pack.
Grid choose_grid(const Product& product, std::int64_t tile_rows, std::int64_t tile_columns) {
  constexpr double kWorthSharing = 1 << 17;  // multiplications
  const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) * static_cast<double>(product.depth);
  const std::int64_t workers =
      work < 2 * kWorthSharing ? 1 : std::min<std::int64_t>(threads(), static_cast<std::int64_t>(work / kWorthSharing));
  Grid best;
  double best_cost = 0.0;
  for (std::int64_t rows = 1; rows <= workers; ++rows) {
    const Grid grid{rows, workers / rows};
    const auto height = static_cast<double>(round_up((product.rows + grid.rows - 1) / grid.rows, tile_rows));
    const auto width = static_cast<double>(round_up((product.columns + grid.columns - 1) / grid.columns, tile_columns));
    constexpr double kPacking = 8.0;  // packing an element costs as much as this many multiplications
    const double cost = height * width + kPacking * (width + (product.transpose_a ? height : 0.0));
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
  const auto tile_rows = static_cast<std::int64_t>(tile(false)), tile_columns = static_cast<std::int64_t>(tile(true));
  const Grid grid = choose_grid(product, tile_rows, tile_columns);
  const std::int64_t height = round_up((product.rows + grid.rows - 1) / grid.rows, tile_rows);
  const std::int64_t width = round_up((product.columns + grid.columns - 1) / grid.columns, tile_columns);
  const auto kernel = HWY_DYNAMIC_DISPATCH(gemm_part);
  const auto scratch_size = static_cast<std::int64_t>(HWY_DYNAMIC_DISPATCH(gemm_scratch)(static_cast<std::size_t>(width)));
  parallel_for(grid.rows * grid.columns, 1, [&](std::int64_t begin, std::int64_t end) {
    const Tensor scratch = Tensor::empty({scratch_size});
    for (std::int64_t i = begin; i < end; ++i) {
      ProductPart part;
      part.row_begin = std::min(product.rows, i / grid.columns * height);
      part.row_end = std::min(product.rows, part.row_begin + height);
      part.column_begin = std::min(product.columns, i % grid.columns * width);
      part.column_end = std::min(product.columns, part.column_begin + width);
      if (part.row_begin < part.row_end && part.column_begin < part.column_end) kernel(product, part, scratch.data());
    }
  });
}

}  // namespace attend
#endif
