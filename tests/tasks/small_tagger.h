// A small tagger with random parameters, and the tokenizer of a few sentences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/tasks/tagging/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline TaggingModel small_tagger() {
  TokenizerOptions options;
  options.type = TokenizerType::bpe;
  options.vocab_size = 40;
  const Tokenizer tokenizer = Tokenizer::train(
      std::vector<std::string>{"Mr Bell sees Paris", "a good film", "Bell sees a film"}, options);
  const std::vector<std::string> labels{"B-LOC", "B-PER", "I-PER", "O"};
  TaggerConfig config;
  config.d_model = 16;
  config.n_heads = 2;
  config.d_ff = 24;
  config.n_encoder_layers = 1;
  config.vocab_size = tokenizer.vocab_size();
  config.tags = static_cast<int>(labels.size());
  TaggedLength length;
  length.max_length = 12;
  return {std::make_shared<TokenTagger>(config, 7), tokenizer, labels, length};
}

}  // namespace attend
