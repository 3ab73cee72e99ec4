// The text of a translation training: reading it, and making batches of it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/data/batching/batcher.h"
#include "attend/data/corpus.h"
#include "attend/data/terms/inline_terms.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/tasks/translation/training/objective.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/text/protection/glossary.h"

namespace attend {

struct TrainingText {
  ParallelText train;                    // empty if it is prepared
  std::optional<PreparedText> prepared;  // the training text, if it is on disk
  std::optional<ParallelText> valid;
  std::optional<ParallelText> old, old_valid;  // of a replay
  std::optional<Glossary> terms;               // to read in the sources of the training text
};

// All files, so that errors show at once. Throws ConfigError, IoError or DataError.
TrainingText read_training_text(const TranslationTraining& options);

// Throws DataError for a text of which no pair is left. `file` names it.
[[noreturn]] void refuse_without_pairs(const std::string& file, const LengthOptions& length,
                                       const ReadReport& report);

// Makes batches of texts for a model.
class PairBatches {
 public:
  // All must outlive it; `notes` gets a line for each text.
  PairBatches(const TranslationTraining& options, const TranslationModel& model,
              const PairTokens& tokens, std::vector<std::string>& notes)
      : options_(options), model_(model), tokens_(tokens), notes_(notes) {}

  // Makes batches of the training text, mixed as the options say. Soft targets of a text are told
  // which of its pairs they are, and alignments are learned from them. Throws DataError if no pair
  // is kept, or if the soft targets are of another text.
  TranslationBatcher training(const TrainingText& text, TranslationLoss& loss) const;
  // Makes batches of old text.
  TranslationBatcher old(const ParallelText& text) const;
  // `name` stands in the note: "validation".
  TranslationValidation validation(const ParallelText& text, const char* name) const;

  // The positions of the model for a text and one special token; 0: unlimited.
  static std::int64_t room_for_text(const TranslationModel& model, const PairTokens& tokens);

 private:
  EncodedPairs encode(const ParallelText& text, const char* name) const;
  EncodedPairs in_context(EncodedPairs pairs, const ParallelText& text, ContextUse use) const;
  // `pairs` without context. Throws DataError if none has a term.
  std::vector<std::vector<InlineTerm>> terms_of(const EncodedPairs& pairs, const ParallelText& text,
                                                const Glossary& terms) const;
  // The pairs of a text with context, which are read with its terms.
  std::shared_ptr<const PairSource> with_inline_terms(EncodedPairs pairs, const ParallelText& text,
                                                      const Glossary& terms) const;
  // In tokens, the end included.
  std::int64_t longest_source() const;
  std::shared_ptr<const PairSource> source_of(EncodedPairs pairs) const;
  void learn_alignments(const EncodedPairs& pairs, TranslationLoss& loss) const;
  void find_soft_targets(const EncodedPairs& pairs, Distillation& distillation) const;
  TranslationBatcher stored(const PreparedText& text) const;
  // For corpora of these sizes; nothing if they are not to be mixed.
  BatchPlanner::Samples mixed(std::vector<std::int64_t> sizes,
                              const std::vector<std::string>& names) const;

  const TranslationTraining& options_;
  const TranslationModel& model_;
  const PairTokens& tokens_;
  std::vector<std::string>& notes_;
};

}  // namespace attend
