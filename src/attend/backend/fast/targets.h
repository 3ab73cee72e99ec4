// The instruction sets of the kernels in this folder. Included before any Highway header.
//
// Highway compiles a kernel once per set and picks one at its first call. The portable baseline,
// SSE4, AVX2 and AVX-512, or NEON on ARM, cover what is in use; other sets would only lengthen the
// build. SVE and RVV are excluded because vectors without a fixed size cannot be kept in arrays,
// which the small products of attention need.
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
// Better sets have lower bits: those of x86 are the first 15, then come those of ARM. Newer
// versions of Highway have more that are better than AVX3 and NEON. The kernels are not made for
// them; they ask the CPU for what they use.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1) | ((HWY_NEON - 1) & ~0x7FFFLL) | HWY_RVV)
#endif
