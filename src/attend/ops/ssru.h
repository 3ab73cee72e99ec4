#pragma once

#include "attend/autograd/variable.h"
#include "attend/tensor/ids.h"

namespace attend {

// The states of simple recurrent units (Kim et al. 2019, "From Research to Production and Back:
// Ludicrously Fast Neural Machine Translation") after every token of a ragged batch:
//   f_t = sigma(g_t),  c_t = f_t c_{t-1} + (1 - f_t) z_t
// z, g [N, D], offsets B+1 -> [N, D]. `before`: the states before the sequences [B, D], without a
// gradient; undefined: zeros. Throws ShapeError, also for a gradient with `before`.
Variable ssru(const Variable& z, const Variable& g, const Ids& offsets, const Tensor& before = {});

}  // namespace attend
