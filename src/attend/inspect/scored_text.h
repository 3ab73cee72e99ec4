// A text, tokenized and scored by a language model: what an attention page shows of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/tasks/language/model.h"

namespace attend {

struct ScoredText {
  std::string text;
  std::vector<std::int32_t> ids;         // what begins a text, the text, and its end
  float log_probability = 0;             // natural logarithm, of all ids but the first
  std::vector<float> token_scores = {};  // log-probability of each of them
};

// The text as `attend score` scores it. Throws DataError if it is empty, not UTF-8, longer than the
// context of the model or too long for an attention page (kMaxPageTokens).
ScoredText scored_text(const LanguageModel& model, const std::string& text);

}  // namespace attend
