// The text of a translation training: reading it, and making batches of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attend/data/batcher.h"
#include "attend/data/corpus.h"
#include "attend/tasks/translation/objective.h"
#include "attend/tasks/translation/training.h"

namespace attend {

struct TrainingText {
  ParallelText train;
  std::optional<ParallelText> valid;
  std::optional<ParallelText> old, old_valid;  // of a replay
};

// All files, so that errors show at once. Throws ConfigError, IoError or DataError.
TrainingText read_training_text(const TranslationTraining& options);

// Makes batches of texts for a model.
class PairBatches {
 public:
  // All must outlive it; `notes` gets a line for each text.
  PairBatches(const TranslationTraining& options, const TranslationModel& model,
              const PairTokens& tokens, std::vector<std::string>& notes)
      : options_(options), model_(model), tokens_(tokens), notes_(notes) {}

  // `name` stands in the note: "training". Throws DataError if no pair is kept.
  TranslationBatcher training(const ParallelText& text, const char* name) const;
  TranslationValidation validation(const ParallelText& text, const char* name) const;

  // The positions of the model for a text and one special token; 0: unlimited.
  static std::int64_t room_for_text(const TranslationModel& model, const PairTokens& tokens);

 private:
  EncodedPairs encode(const ParallelText& text, const char* name) const;

  const TranslationTraining& options_;
  const TranslationModel& model_;
  const PairTokens& tokens_;
  std::vector<std::string>& notes_;
};

}  // namespace attend
