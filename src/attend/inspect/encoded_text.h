// A text that an encoder has read, with its answer: what the explorer and a page of attention show
// of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/inspect/class_explanation.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/model.h"

namespace attend {

// A text with its classification.
struct ClassifiedText {
  std::string text;
  std::vector<std::int32_t> ids;  // the part that the classifier reads
  Classification classes;
  std::vector<WordEffect> effects;  // of leaving out words; empty: not requested
};

// Classifies the part of the text that the classifier reads, its max-length. Throws DataError if
// the text is empty or not UTF-8, ConfigError for a classifier of pairs or a regression.
ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text);
// The same with the effects of its words. Throws as word_effects() does, too.
ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text);

// A text of an embedding model, which has no answer but a vector.
struct EmbeddedText {
  std::string text;
  std::vector<std::int32_t> ids;  // what the model reads of it
};

// Takes the part of the text that the model reads. Throws DataError if the text is empty, not UTF-8
// or too long for an attention page (kMaxPageTokens).
EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text);

}  // namespace attend
