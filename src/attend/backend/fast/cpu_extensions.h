// What this CPU has beyond the instruction sets of targets.h. Kernels ask for it themselves, and
// use it by assembly.
#pragma once

namespace attend {

struct CpuExtensions {
  bool vnni = false;        // x86: byte dot products, AVX-512 VNNI
  bool bf16 = false;        // x86: bf16 dot products, AVX-512 BF16
  bool vpclmulqdq = false;  // x86: carry-less products of four blocks
  bool pmull = false;       // ARM: carry-less products
  bool dotprod = false;     // ARM: byte dot products
  bool i8mm = false;        // ARM: products of byte matrices; never without dotprod
};

// Returns those in use: what the CPU has, unless use_instruction_sets() has named fewer.
const CpuExtensions& cpu_extensions();

}  // namespace attend
