// The text of a language model's training: reading it, and making windows of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attend/data/language.h"
#include "attend/data/stored/token_stream.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/language/output_sampler.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/preparation/prepared_text.h"
#include "attend/text/tokenizer.h"

namespace attend {

// All files, so that errors show at once.
struct LanguageTrainingText {
  std::vector<std::string> units;  // lines or documents; empty if the text is prepared
  std::vector<std::size_t> ends;   // of each file in the units
  std::optional<PreparedText> prepared;
  std::vector<std::string> valid, old, old_valid;  // empty: none
};

// The tokenizer of lines or documents that are trained on. Only byte-bpe keeps the line breaks and
// spaces of documents, without a normalization that merges them: throws ConfigError for others.
Tokenizer learned_vocabulary(std::span<const std::string> units, const TokenizerOptions& options,
                             bool documents);
// The one for documents, where the user has not set another.
void settle_vocabulary(TokenizerOptions& options, bool documents, const IsSet& is_set);

// Throws ConfigError, IoError or DataError.
LanguageTrainingText read_training_text(const LanguageTraining& options);

// The tokens to train on.
struct TrainingStream {
  std::shared_ptr<const TokenStream> tokens;
  std::vector<std::string> names;        // of the parts: files, or prepared folders
  std::vector<std::int64_t> targets;     // of each part
  std::optional<OutputSampler> sampler;  // if the options ask for one

  void add_part(const std::string& name, std::int64_t count) {
    names.push_back(name);
    targets.push_back(count);
  }
};

// `notes` gets lines on the text.
TrainingStream training_stream(const LanguageTraining& options, const LanguageTrainingText& text,
                               const LanguageModel& model, std::vector<std::string>& notes);

// Windows of the stream, mixed as the options say. Throws like Mixture.
LanguageBatcher training_batches(const LanguageTraining& options, const TrainingStream& stream,
                                 std::vector<std::string>& notes);

}  // namespace attend
