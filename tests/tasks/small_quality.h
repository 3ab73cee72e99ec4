// A small model that scores translations, with random parameters.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attend/tasks/quality/model.h"
#include "tasks/model_checkpoint.h"

namespace attend {

inline const std::vector<std::string> kScoredTexts{"a good film",  "a bad film", "not a good film",
                                                   "good and bad", "",           "so good"};

inline Tokenizer scored_words(const std::vector<std::string>& texts = kScoredTexts, int size = 31) {
  TokenizerOptions options;
  options.type = TokenizerType::wordpiece;
  options.vocab_size = size;
  return Tokenizer::train(texts, options);
}

inline QualityModel small_quality_model(QualityReading reading = QualityReading::compared,
                                        bool source = true, bool reference = true,
                                        const Tokenizer& tokenizer = scored_words()) {
  QualityConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.positions = PositionKind::learned;
  config.max_positions = 16;
  config.norm_embedding = true;
  config.reading = reading;
  config.source = source;
  config.reference = reference;
  config.mix = {LayerWeights::softmax, true};
  config.pooling = reading == QualityReading::joined ? Pooling::first : Pooling::mean;
  config.estimator_widths = {"12", "5"};
  config.vocab_size = tokenizer.vocab_size();
  TextLengthOptions length;
  length.max_length = 9;
  auto network = std::make_shared<QualityEstimator>(config);
  network->parameters().allocate(7);
  return {std::move(network), tokenizer, length};
}

}  // namespace attend
