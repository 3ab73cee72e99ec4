// A sentence and its translation, tokenized and scored: what an attention page shows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attend/tasks/translation/engine.h"

namespace attend {

// Tokens per side. Weights grow with the square of the length; this many take about 20 MB for the
// paper's base model.
constexpr std::int64_t kMaxPageTokens = 256;

struct ScoredPair {
  std::string source;  // prepared, as the model reads it
  std::string target;
  std::vector<std::int32_t> src;  // with the marks of a source
  std::vector<std::int32_t> tgt;  // without marks
  float log_probability = 0;      // natural logarithm, including eos
  LanguagePair languages = {};
  // Log-probability of each token of the target, then of eos.
  std::vector<float> token_scores = {};
};

// The text with its best translation. Both functions throw DataError if a text is empty, not UTF-8
// or too long for an attention page (kMaxPageTokens).
ScoredPair translated_pair(const TranslationEngine& translator, const std::string& source,
                           const TranslationOptions& options);
// The text with a given translation.
ScoredPair given_pair(const TranslationEngine& translator, const std::string& source,
                      const std::string& target, const LanguagePair& languages = {},
                      const TextPreparation& preparation = {});

// The tokens of a source with its marks. Throws like the functions above.
std::vector<std::int32_t> page_source(const TranslationModel& model, const std::string& source,
                                      const LanguagePair& languages);
// The tokens of a text. `what` names it in messages: "the text". Throws DataError if the text is
// empty or not UTF-8.
std::vector<std::int32_t> page_tokens(const Tokenizer& tokenizer, const std::string& text,
                                      std::string_view what);
// Throws DataError for more than kMaxPageTokens.
void require_page_length(const std::vector<std::int32_t>& ids, std::string_view what);

}  // namespace attend
