// All activations, for tests that hold for each.
#pragma once

#include "attend/backend/backend.h"

namespace attend {

inline constexpr Activation kActivations[] = {
    Activation::none,  Activation::relu,      Activation::gelu,      Activation::tanh,
    Activation::swish, Activation::gelu_tanh, Activation::quick_gelu};

}  // namespace attend
