// A page that shows a model's attention: one self-contained HTML file.
//
// It shows the weights of every layer and head for one sentence pair, by words and by tokens. Its
// markup, style and script are in inspect/attention_page/; docs/attention.md explains how to read
// it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/inspect/class_explanation.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// A source, its translation, and the log-probability of the translation.
struct ScoredPair {
  std::string source;
  std::string target;
  std::vector<std::int32_t> src;  // with the marks of a source
  std::vector<std::int32_t> tgt;  // without marks
  float log_probability = 0;      // natural logarithm, including eos
  LanguagePair languages = {};
};

// The text with its best translation. Both functions throw DataError if a text is empty, not UTF-8
// or too long for an attention page (kMaxPageTokens).
ScoredPair translated_pair(const TranslationEngine& translator, const std::string& source,
                           const TranslationOptions& options);
// The text with a given translation.
ScoredPair given_pair(const TranslationEngine& translator, const std::string& source,
                      const std::string& target, const LanguagePair& languages = {});

// Tokens per side. Weights grow with the square of the length; this many take about 20 MB for the
// paper's base model.
constexpr std::int64_t kMaxPageTokens = 256;

// The page, a function of its arguments alone. Weights are rounded to multiples of 1/255.
std::string attention_page(const TranslationModel& model, const ScoredPair& pair);

// A text with its classification.
struct ClassifiedText {
  std::string text;
  std::vector<std::int32_t> ids;  // the part that the classifier reads
  Classification classes;
  std::vector<WordEffect> effects;  // of leaving out words; empty: not requested
  AttentionEntropy entropy;
};

// Shows the part of the text that the classifier reads, its max-length. Throws DataError if the
// text is empty or not UTF-8.
ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text);
// The same with the effects of its words. Throws as word_effects() does, too.
ClassifiedText explained_text(const ClassificationEngine& classifier, const std::string& text);

// The same page for a classifier: only the encoder's self-attention, after the effects of the words
// if there are any.
std::string attention_page(const ClassificationModel& model, const ClassifiedText& text);

// A text of an embedding model, which has no answer but a vector.
struct EmbeddedText {
  std::string text;
  std::vector<std::int32_t> ids;  // what the model reads of it
  AttentionEntropy entropy;
};

// Shows the part of the text that the model reads. Throws DataError if the text is empty or not
// UTF-8.
EmbeddedText embedded_text(const EmbeddingModel& model, const std::string& text);
std::string attention_page(const EmbeddingModel& model, const EmbeddedText& text);

}  // namespace attend
