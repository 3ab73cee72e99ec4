#pragma once

#include "attend/autograd/variable.h"

namespace attend {

// softmax(scale * x) over the last dimension; scale is the inverse temperature. x [N, D] -> [N, D].
Variable softmax(const Variable& x, float scale = 1.0f);

// log(softmax(x)) over the last dimension, computed without overflow. x [N, D] -> [N, D].
Variable log_softmax(const Variable& x);

}  // namespace attend
