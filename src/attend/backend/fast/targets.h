// Which instruction sets the kernels of this folder are compiled for. Included before any Highway
// header.
//
// Highway compiles a kernel once per set and picks one when it is first called. The portable
// baseline (or NEON on ARM), AVX2 and AVX-512 cover what is in use; the steps between them would
// only make the build longer. SVE and RVV are left out because vectors without a fixed size cannot
// be kept in arrays, as the small products of attention do.
//
// A file with kernels has this form:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "attend/backend/fast/theme.cpp"
//   #include "attend/backend/fast/targets.h"
//   // must come between the two
//   #include "hwy/foreach_target.h"
//   #include "attend/backend/fast/simd-inl.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace attend {
//   namespace HWY_NAMESPACE {
//   ... kernels on pointers and sizes, in lower case; each file gives its kernels names of their
//   own ... }  // namespace HWY_NAMESPACE }  // namespace attend HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace attend {
//   HWY_EXPORT(kernel);
//   void FastBackend::member(...) { parallel_for(..., [&](auto begin, auto end) {
//   HWY_DYNAMIC_DISPATCH(kernel)(..., begin, end); }); } }  // namespace attend #endif
//
// A file compiled with AVX2 must not instantiate inline functions of ordinary headers inside the
// target namespace with that instruction set switched on: call only Highway, the functions of
// simd-inl.h, and builtins there.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
