// Products of very few rows with a transposed b: decoding. b is read once and transposed in registers; nothing is packed.
#if defined(ATTEND_BACKEND_ONEDNN_GEMM_FEW_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_ONEDNN_GEMM_FEW_INL_H
#undef ATTEND_BACKEND_ONEDNN_GEMM_FEW_INL_H
#else
#define ATTEND_BACKEND_ONEDNN_GEMM_FEW_INL_H
#endif

#include "attend/backend/onednn/gemm_kernel-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR
constexpr std::size_t kFewRows = 3;

// A tile of `rows` rows of a by kTileColumns rows of b, over the contiguous depth of both. The order of the sums is that of multiply_tile.
template <int rows>
HWY_NOINLINE void multiply_few(const float* a, std::size_t a_stride, const float* b, std::size_t b_stride, std::size_t depth,
                               const TileOutput& out) {
  constexpr int kGroups = static_cast<int>(kTileColumns / kGroup);
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
      transpose_block(b + static_cast<std::size_t>(g) * kGroup * b_stride + k, b_stride, [&](std::size_t i, V column) HWY_ATTR {
#pragma GCC unroll 12
        for (int r = 0; r < rows; ++r) {
          sums[r][g] = hn::MulAdd(hn::Set(d, a[static_cast<std::size_t>(r) * a_stride + k + i]), column, sums[r][g]);
        }
      });
    }
  }
  HWY_ALIGN float column[kGroup];
  for (; k < depth; ++k) {
#pragma GCC unroll 12
    for (int g = 0; g < kGroups; ++g) {
      for (std::size_t c = 0; c < kGroup; ++c) column[c] = b[(static_cast<std::size_t>(g) * kGroup + c) * b_stride + k];
#pragma GCC unroll 12
      for (int r = 0; r < rows; ++r) {
        sums[r][g] = hn::MulAdd(hn::Set(d, a[static_cast<std::size_t>(r) * a_stride + k]), hn::Load(d, column), sums[r][g]);
      }
    }
  }
  HWY_ALIGN float tile[rows * kTileColumns];
#pragma GCC unroll 12
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 12
    for (int g = 0; g < kGroups; ++g) {
      hn::Store(sums[r][g], d, tile + static_cast<std::size_t>(r) * kTileColumns + static_cast<std::size_t>(g) * kGroup);
    }
  }
  finish_tile(tile, rows, out);
}

HWY_INLINE void multiply_few_rows(std::size_t rows, const float* a, std::size_t a_stride, const float* b, std::size_t b_stride,
                                  std::size_t depth, const TileOutput& out) {
  switch (rows) {
    case 1:
      return multiply_few<1>(a, a_stride, b, b_stride, depth, out);
    case 2:
      return multiply_few<2>(a, a_stride, b, b_stride, depth, out);
    default:
      return multiply_few<3>(a, a_stride, b, b_stride, depth, out);
  }
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
