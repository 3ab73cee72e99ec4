// The part of a model that encodes tokens as vectors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "attend/autograd/variable.h"
#include "attend/data/classification.h"
#include "attend/embedder.h"
#include "attend/nn/pass.h"
#include "attend/nn/ragged.h"
#include "attend/tensor/tensor.h"
#include "attend/text/tokenizer.h"

namespace attend {

// What a model was trained to find before a text, by name: {"query": "query: "}.
struct TextPrompts {
  std::map<std::string, std::string> texts;
  std::string usual;  // the name of the one used unless another is asked for; empty: none
};

// How a model that was trained for it turns a text into one vector.
struct TextPooling {
  TextLengthOptions length;  // longer texts are truncated
  TextPrompts prompts;
  bool pools_prompt = true;                    // whether the tokens of a prompt count
  Similarity similarity = Similarity::cosine;  // of the vectors
  SpecialText special_text = SpecialText::as_text;
  int width = 0;  // of the vectors
  // The vectors [N, D] of all tokens, special ones included -> those of the texts [B, D].
  std::function<Tensor(const Tensor& tokens, const Ids& offsets)> run;
};

struct TextEncoder {
  Tokenizer tokenizer;
  SpecialTokens special;  // added to a text: bos, if there is one, and eos
  int layers = 0;
  int width = 0;                                      // D, of every Transformer layer
  std::function<Tensor()> embeddings;                 // [V, D], or narrower ones
  std::function<Variable(const Ragged&, Pass&)> run;  // the output of the last layer
  std::optional<TextPooling> pooling = std::nullopt;  // of embedding models
  SpecialText special_text = SpecialText::as_text;    // of others
};

}  // namespace attend
