// GEMM operands rounded to bf16 (the upper 16 bits of a float), to nearest even. Rounding happens
// while packing, so it costs no pass over memory; sums stay f32.
//
// There are two forms. Everywhere: rounded operands as floats, for the f32 kernel; the same result,
// no faster. On CPUs with vdpbf16ps: pairs, with the elements of an even k and the next k in the
// lower and upper half of 32 bits; two products per instruction and lane. That instruction flushes
// denormals to zero and rounds after each of the two additions, so the last bits of the two forms
// differ.
#if defined(ATTEND_BACKEND_FAST_GEMM_BF16_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_GEMM_BF16_INL_H
#undef ATTEND_BACKEND_FAST_GEMM_BF16_INL_H
#else
#define ATTEND_BACKEND_FAST_GEMM_BF16_INL_H
#endif

#include "attend/backend/fast/cpu_extensions.h"
#include "attend/backend/fast/gemm/gemm.h"
#include "attend/backend/fast/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {

// The content of packed operands.
enum class Packing { floats, bf16_floats, bf16_pairs };

using Bits = hn::RebindToUnsigned<Floats>;
using BitVector = hn::Vec<Bits>;

// Floats rounded to the nearest bf16, as bits with 16 zeros below. NaN stays NaN.
HWY_INLINE BitVector round_to_bf16(FloatVector v) {
  const Bits d;
  const auto upper = hn::Set(d, 0xFFFF0000u);
  const auto bits = hn::BitCast(d, v);
  const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
  const auto rounded = hn::And(hn::Add(hn::Add(bits, hn::Set(d, 0x7FFF)), odd), upper);
  const auto quiet = hn::And(hn::Or(bits, hn::Set(d, 0x00400000)), upper);
  return hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(v)), quiet, rounded);
}

HWY_INLINE void round_row_to_bf16(const float* from, std::size_t count, float* to) {
  map_row(from, to, count,
          [](FloatVector v) HWY_ATTR { return hn::BitCast(Floats(), round_to_bf16(v)); });
}

#if HWY_TARGET == HWY_AVX3
// sum + the products of both halves of a and b. Written as assembly, because compilers accept the
// intrinsic only in functions that target bf16 CPUs.
template <class V>
HWY_INLINE V multiply_pairs(V a, V b, V sum) {
  asm("vdpbf16ps %2, %1, %0" : "+v"(sum.raw) : "v"(a.raw), "v"(b.raw));
  return sum;
}

// Rounds two vectors to one of 16-bit elements, the lower vector in the lower half.
HWY_INLINE FloatVector narrow(FloatVector low, FloatVector high) {
  FloatVector both;
  asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(both.raw) : "v"(low.raw), "v"(high.raw));
  return both;
}

HWY_INLINE FloatVector pair_of(FloatVector even, FloatVector odd) {
  HWY_ALIGN static constexpr std::uint16_t kOrder[] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                       21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                       11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
  const __m512i order = _mm512_load_si512(kOrder);
  return FloatVector{_mm512_castsi512_ps(
      _mm512_permutexvar_epi16(order, _mm512_castps_si512(narrow(even, odd).raw)))};
}

// Pairs along a row: to[i] = (from[2 i], from[2 i + 1]), padded with 0 if `count` is odd.
HWY_INLINE void pair_neighbors(const float* from, std::size_t count, float* to) {
  const Floats d;
  constexpr std::size_t kLanes = hn::MaxLanes(Floats());
  for (std::size_t i = 0; i < count; i += 2 * kLanes) {
    const std::size_t left = count - i;
    const auto low = left >= kLanes ? hn::LoadU(d, from + i) : load_part(d, from + i, left);
    const auto high = left >= 2 * kLanes ? hn::LoadU(d, from + i + kLanes)
                      : left > kLanes    ? load_part(d, from + i + kLanes, left - kLanes)
                                         : hn::Zero(d);
    const auto pairs = narrow(low, high);
    const std::size_t stored = HWY_MIN((left + 1) / 2, kLanes);
    if (stored == kLanes) {
      hn::StoreU(pairs, d, to + i / 2);
    } else {
      store_part(pairs, d, to + i / 2, stored);
    }
  }
}
#endif

HWY_INLINE Packing packing_of(const Product& product) {
  if (product.operand_precision == Precision::f32) return Packing::floats;
#if HWY_TARGET == HWY_AVX3
  if (cpu_extensions().bf16) return Packing::bf16_pairs;
#endif
  return Packing::bf16_floats;
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
