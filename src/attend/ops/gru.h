#pragma once

#include "attend/autograd/variable.h"

namespace attend {

// The element-wise part of one step of a gated recurrent unit (Cho et al. 2014), with PyTorch's
// equations and gate order:
//   r = sigma(x_r + s_r),  z = sigma(x_z + s_z),  n = tanh(x_n + r s_n),  h' = (1 - z) n + z h.
// x = W_ih x_t + b_ih and s = W_hh h + b_hh [R, 3H], h [R, H] -> h' [R, H]. Throws ShapeError.
Variable gru_cell(const Variable& x, const Variable& s, const Variable& h);

}  // namespace attend
