// Products of small matrices for the attention kernels, compiled once per instruction set.
#if defined(ATTEND_BACKEND_FAST_SMALL_PRODUCT_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_SMALL_PRODUCT_INL_H
#undef ATTEND_BACKEND_FAST_SMALL_PRODUCT_INL_H
#else
#define ATTEND_BACKEND_FAST_SMALL_PRODUCT_INL_H
#endif

#include "attend/backend/fast/gemm/small_product.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// Called by kernels of the same instruction set, so they need no dispatch.
void small_product(const SmallProduct& p);

// to[i][r] = factor * from[r][i]: transposes `rows` rows of `width` floats; columns rows .. stride
// - 1 become copies of the last. stride is a multiple of the vector lanes.
void small_transpose(const StridedRows& from, std::ptrdiff_t rows, std::ptrdiff_t width,
                     float factor, float* to, std::ptrdiff_t stride);

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
