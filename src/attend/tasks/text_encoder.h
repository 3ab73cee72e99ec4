// The part of a model that encodes tokens as vectors.
#pragma once

#include <cstdint>
#include <functional>

#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/tensor/tensor.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct TextEncoder {
  Tokenizer tokenizer;
  SpecialTokens special;  // added to a text: bos, if there is one, and eos
  int layers = 0;
  int width = 0;      // D, of the embeddings and every Transformer layer
  Tensor embeddings;  // [V, D]
  std::function<void(const Ragged&, Pass&)> run;  // fills Pass::hidden
};

}  // namespace attend
