// The part of a model that turns the tokens of a text into vectors.
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
  SpecialTokens special;  // it expects bos, if there is one, before a text, and eos after it
  int layers = 0;
  int width = 0;      // D, of the embeddings and of every layer of a Transformer
  Tensor embeddings;  // [V, D]
  std::function<void(const Ragged&, Pass&)> run;  // fills Pass::hidden
};

}  // namespace attend
