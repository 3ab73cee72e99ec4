// A small language model, and a text for it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/tasks/language/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline const std::vector<std::string> kRhyme{
    "the cat sat on the mat",         "the dog sat on the cat", "",
    "a cat and a dog ran to the mat", "the mat is flat",        "the dog is fat",
    "a fat cat sat on a flat mat",    "and the dog ran"};

inline Tokenizer rhyme_tokenizer(TokenizerType type = TokenizerType::word,
                                 int vocab_size = 4 + 13) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  options.normalization = Normalization::identity;
  return Tokenizer::train(kRhyme, options);
}

inline LanguageTransformerConfig small_language_config(const Tokenizer& tokenizer) {
  LanguageTransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 64;
  config.n_layers = 2;
  config.dropout = 0.0f;
  config.vocab_size = tokenizer.vocab_size();
  return config;
}

inline LanguageModel small_language_model(const Tokenizer& tokenizer = rhyme_tokenizer(),
                                          int context = 8) {
  return {std::make_shared<LanguageTransformer>(small_language_config(tokenizer), 7),
          tokenizer,
          {context}};
}

}  // namespace attend
