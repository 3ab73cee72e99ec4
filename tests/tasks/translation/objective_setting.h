// A translation objective on eight sentence pairs, and the model that it trains.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "attend/tasks/translation/training/objective.h"
#include "tasks/small_model.h"

namespace attend {

inline const ParallelText kPairs{
    {"the old dog sees the small cat", "a cat eats the fish & chips", "dogs catch fish",
     "the cat sees a small dog", "a dog", "the fish sees the old cat", "old dogs eat chips",
     "the small cat eats a small fish"},
    {"der alte hund sieht die kleine katze", "eine katze frisst den fisch",
     "der hund frisst den fisch", "die katze sieht die kleine katze", "eine katze",
     "der fisch sieht die alte katze", "der alte hund frisst den fisch",
     "die kleine katze frisst den fisch"}};

struct TranslationSetting {
  std::int64_t batch_tokens = 1000;
  std::optional<std::uint64_t> seed = std::nullopt;
  float dropout = 0.0f;
  TranslationLoss loss = {};
  bool validates = true;
};

inline EncodedPairs encoded(const TranslationModel& model, const ParallelText& text,
                            const LengthOptions& length = {}) {
  ReadReport report;
  return encode_parallel(text, model.src_tokenizer, model.tgt_tokenizer, length, report);
}

inline TranslationBatcher batches(const TranslationModel& model, std::int64_t batch_tokens,
                                  std::optional<std::uint64_t> seed) {
  return TranslationBatcher(
      encoded(model, kPairs),
      {model.src_tokenizer.special_tokens(), model.tgt_tokenizer.special_tokens()}, {batch_tokens},
      seed);
}

inline TranslationModel learning_model(float dropout) {
  TranslationModel model = small_model();
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.d_model = 32;
  config.d_ff = 64;
  config.n_encoder_layers = 2;
  config.dropout = dropout;
  model.network = std::make_shared<Transformer>(config, 7);
  return model;
}

inline TranslationObjective translation_of(const TranslationSetting& s) {
  const TranslationModel model = learning_model(s.dropout);
  std::optional<TranslationValidation> validation;
  if (s.validates) {
    TranslationOptions decoding;
    decoding.beam.beam_size = 1;
    validation = TranslationValidation{batches(model, 30, std::nullopt), kPairs.tgt, decoding};
  }
  return TranslationObjective(model, batches(model, s.batch_tokens, s.seed), s.loss,
                              std::move(validation));
}

}  // namespace attend
