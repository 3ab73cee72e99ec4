// GEMM of very few rows with an unpacked transposed b: decoding during training. b is read once and
// transposed in registers; nothing is packed.
#if defined(ATTEND_BACKEND_FAST_GEMM_FEW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_GEMM_FEW_INL_H
#undef ATTEND_BACKEND_FAST_GEMM_FEW_INL_H
#else
#define ATTEND_BACKEND_FAST_GEMM_FEW_INL_H
#endif

#include "attend/backend/fast/gemm/gemm_pack-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
constexpr std::size_t kFewRows = 3;
constexpr std::size_t kFewColumns = 2 * kTileColumns;

// `rows` rows of a by `tiles` * kTileColumns rows of b, over the contiguous depth of both. Sums in
// the order of multiply_tile. One row needs two tiles: an FMA takes four cycles, so many sums must
// be in flight.
template <int rows, int tiles>
HWY_NOINLINE void multiply_few(Operand a, Operand b, std::size_t depth, const TileOutput& out) {
  constexpr int kGroups = static_cast<int>(tiles * kTileColumns / kGroup);
  const Group d;
  using V = hn::Vec<Group>;
  V sums[rows][kGroups];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 12
    for (int g = 0; g < kGroups; ++g) sums[r][g] = hn::Zero(d);
  }
  std::size_t k = 0;
  for (; k + 4 <= depth; k += 4) {
#pragma GCC unroll 12
    for (int g = 0; g < kGroups; ++g) {
      transpose_block(b.data + static_cast<std::size_t>(g) * kGroup * b.stride + k, b.stride,
                      [&](std::size_t i, V column) HWY_ATTR {
#pragma GCC unroll 12
                        for (int r = 0; r < rows; ++r) {
                          sums[r][g] = hn::MulAdd(
                              hn::Set(d, a.data[static_cast<std::size_t>(r) * a.stride + k + i]),
                              column, sums[r][g]);
                        }
                      });
    }
  }
  HWY_ALIGN float column[kGroup];
  for (; k < depth; ++k) {
#pragma GCC unroll 12
    for (int g = 0; g < kGroups; ++g) {
      for (std::size_t c = 0; c < kGroup; ++c)
        column[c] = b.data[(static_cast<std::size_t>(g) * kGroup + c) * b.stride + k];
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        sums[r][g] = hn::MulAdd(hn::Set(d, a.data[static_cast<std::size_t>(r) * a.stride + k]),
                                hn::Load(d, column), sums[r][g]);
      }
    }
  }
  constexpr int kGroupsPerTile = kGroups / tiles;
  HWY_ALIGN float tile[rows * kTileColumns];
  for (int t = 0; t < tiles; ++t) {
    for (int r = 0; r < rows; ++r) {
      for (int g = 0; g < kGroupsPerTile; ++g) {
        hn::Store(sums[r][t * kGroupsPerTile + g], d,
                  tile + static_cast<std::size_t>(r) * kTileColumns +
                      static_cast<std::size_t>(g) * kGroup);
      }
    }
    TileOutput part = out;
    part.columns = kTileColumns;
    part.c += static_cast<std::size_t>(t) * kTileColumns;
    if (part.bias != nullptr) part.bias += static_cast<std::size_t>(t) * kTileColumns;
    finish_tile(tile, rows, part);
  }
}

// For as many columns as `out` says: one tile or kFewColumns.
HWY_INLINE void multiply_few_rows(std::size_t rows, Operand a, Operand b, std::size_t depth,
                                  const TileOutput& out) {
  const bool two = out.columns == kFewColumns;
  switch (rows) {
    case 1:
      return two ? multiply_few<1, 2>(a, b, depth, out) : multiply_few<1, 1>(a, b, depth, out);
    case 2:
      return two ? multiply_few<2, 2>(a, b, depth, out) : multiply_few<2, 1>(a, b, depth, out);
    default:
      return two ? multiply_few<3, 2>(a, b, depth, out) : multiply_few<3, 1>(a, b, depth, out);
  }
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
