// The shape of a model of CTranslate2, which only its variables tell.
#pragma once

#include <array>

#include "attend/interchange/families/ctranslate2/ctranslate2_variables.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/models/architecture.h"

namespace attend {

// The activations by the numbers that files have for them.
inline constexpr std::array kCtranslate2Activations{Activation::relu,       Activation::gelu_tanh,
                                                    Activation::swish,      Activation::gelu,
                                                    Activation::quick_gelu, Activation::tanh};

struct Ctranslate2Shape {
  TransformerConfig config;       // without the ties of embeddings
  bool starts_from_zero = false;  // the decoder begins with zeros in place of an embedding
};

// Reads a stack, "encoder" or "decoder", and returns the number of its layers. Parameters are those
// of read_ctranslate2_shape().
int read_ctranslate2_stack(const Ctranslate2Variables& stack, float epsilon, StackConfig& shape);

// `epsilon`: of all normalizations; 0: the default of CTranslate2. Throws DataError that names the
// variable which is missing, or says what attend does not have.
Ctranslate2Shape read_ctranslate2_shape(TensorTable& variables, float epsilon);

}  // namespace attend
