// A page to look at a model's attention with: one HTML file that needs nothing else, no network
// either.
//
// It shows the weights of every layer and head for one sentence pair, by words and by pieces. Its
// markup, style and script are the files of tasks/attention_page/; what is read and how is
// explained in docs/attention.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/tasks/classification/engine.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// A source, its translation, and how likely the model finds it.
struct ScoredPair {
  std::string source;
  std::string target;
  std::vector<std::int32_t> src;  // ends with eos
  std::vector<std::int32_t> tgt;  // neither bos nor eos
  float log_probability = 0;      // natural logarithm, eos included
};

// The pair of a text and the best translation that is found for it. Both functions throw DataError
// when a text has no token, is not UTF-8 or is longer than an attention page can show
// (kMaxPageTokens).
ScoredPair translated_pair(const TranslationEngine& translator, const std::string& source,
                           const TranslationOptions& options);
// The pair of a text and a given translation.
ScoredPair given_pair(const TranslationEngine& translator, const std::string& source,
                      const std::string& target);

// A side of a pair. The weights grow with the square of the length; so long a pair takes some 20 MB
// with the layers and heads of the paper's base model.
constexpr std::int64_t kMaxPageTokens = 256;

// The page. A function of its arguments: equal ones give equal bytes. Weights are rounded to
// multiples of 1/255.
std::string attention_page(const TranslationModel& model, const ScoredPair& pair);

// A text and what a classifier makes of it.
struct ClassifiedText {
  std::string text;
  std::vector<std::int32_t> ids;  // what the classifier sees of it
  std::string label;
  float probability = 0;
};

// Shows as much of the text as the classifier looks at, its max-length. Throws DataError when the
// text has no token or is not UTF-8.
ClassifiedText classified_text(const ClassificationEngine& classifier, const std::string& text);

// The same page with the one attention that a classifier has.
std::string attention_page(const ClassificationModel& model, const ClassifiedText& text);

}  // namespace attend
