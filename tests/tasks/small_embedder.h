// A small embedding model with random parameters, and the tokenizer of a few sentences.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/tasks/embedding/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline const std::vector<std::string> kRemarks{
    "a good film", "a bad film", "not a good film", "good and bad", "the film is fine", "so good"};

inline EmbeddingModel small_embedder(Pooling pooling = Pooling::mean, bool normalize = true) {
  TokenizerOptions options;
  options.type = TokenizerType::wordpiece;
  options.vocab_size = 40;
  const Tokenizer tokenizer = Tokenizer::train(kRemarks, options);
  EmbedderConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.positions = PositionKind::learned;
  config.max_positions = 12;
  config.token_types = 2;
  config.norm_embedding = true;
  config.pooling = pooling;
  config.normalize = normalize;
  config.vocab_size = tokenizer.vocab_size();
  TextLengthOptions length;
  length.max_length = 9;
  EmbeddingModel model(std::make_shared<TextEmbedder>(config, 7), tokenizer, length);
  model.prompts.texts = {{"query", "good "}, {"passage", ""}};
  return model;
}

}  // namespace attend
