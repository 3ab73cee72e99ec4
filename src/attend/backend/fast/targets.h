// The instruction sets of the kernels in this folder. Included before any Highway header.
//
// Highway compiles a kernel once per set and picks one at its first call. The portable baseline,
// SSE4, AVX2 and AVX-512, or NEON on ARM, cover what is in use; intermediate sets would only
// lengthen the build. SVE and RVV are excluded because vectors without a fixed size cannot be kept
// in arrays, which the small products of attention need.
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
//   ... kernels on pointers and sizes, in lower case, with names unique in the folder ...
//   }  // namespace HWY_NAMESPACE
//   }  // namespace attend
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace attend {
//   HWY_EXPORT(kernel);
//   void FastBackend::member(...) {
//     parallel_for(..., [&](auto begin, auto end) {
//       HWY_DYNAMIC_DISPATCH(kernel)(..., begin, end);
//     });
//   }
//   }  // namespace attend
//   #endif
//
// Code in the target namespace must call only Highway, simd-inl.h and builtins. Inline functions of
// ordinary headers would be instantiated with AVX2 and could be linked into code for all CPUs.
#pragma once

#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
