// What the kernels of simple recurrent units take, for all instruction sets.
#pragma once

#include <cstddef>

namespace attend {

// Some columns of a sequence.
struct SsruRows {
  const float* z;
  const float* g;
  const float* before;  // null: zeros
  float* c;
  float* f;  // null: not wanted
  std::size_t z_stride, g_stride, c_stride, f_stride, rows;
};

struct SsruGradientRows {
  const float* z;
  const float* f;
  const float* c;
  const float* dc;
  float* dz;
  float* dg;
  std::size_t z_stride, dc_stride, stride;  // the last of all others, which are whole matrices
  std::size_t rows;
};

}  // namespace attend
