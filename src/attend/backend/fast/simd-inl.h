// Helpers for Highway kernels, compiled once per instruction set (hence the toggling guard).
#if defined(ATTEND_BACKEND_FAST_SIMD_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ATTEND_BACKEND_FAST_SIMD_INL_H
#undef ATTEND_BACKEND_FAST_SIMD_INL_H
#else
#define ATTEND_BACKEND_FAST_SIMD_INL_H
#endif

#include <cstddef>
#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace attend {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using FloatVector = hn::Vec<Floats>;

// The first `count` < Lanes elements at `from`, other lanes zero; reads nothing past them.
HWY_INLINE FloatVector load_part(Floats d, const float* from, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float buffer[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = from[i];
  return hn::Load(d, buffer);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#endif
}

// Stores the first `count` < Lanes lanes; writes nothing past them.
HWY_INLINE void store_part(FloatVector value, Floats d, float* to, std::size_t count) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN float buffer[hn::MaxLanes(d)];
  hn::Store(value, d, buffer);
  for (std::size_t i = 0; i < count; ++i) to[i] = buffer[i];
#else
  hn::BlendedStore(value, hn::FirstN(d, count), d, to);
#endif
}

// out[i] = function(in[i]) over one row, any length.
template <class Function>
HWY_INLINE void map_row(const float* in, float* out, std::size_t count, const Function& function) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(function(hn::LoadU(d, in + i)), d, out + i);
  if (i < count) store_part(function(load_part(d, in + i, count - i)), d, out + i, count - i);
}

// out[i] = function(a[i], b[i]) over one row, any length.
template <class Function>
HWY_INLINE void map_rows(const float* a, const float* b, float* out, std::size_t count,
                         const Function& function) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(function(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, out + i);
  if (i < count)
    store_part(function(load_part(d, a + i, count - i), load_part(d, b + i, count - i)), d, out + i,
               count - i);
}

// Asks for memory that is needed soon, but not before the L1 cache has had other data.
HWY_INLINE void prefetch_to_l2(const void* p) {
  constexpr int kForReading = 0, kIntoL2 = 2;
  __builtin_prefetch(p, kForReading, kIntoL2);
}

}  // namespace HWY_NAMESPACE
}  // namespace attend
HWY_AFTER_NAMESPACE();

#endif
