#include "attend/inspect/scored_text.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "attend/error.h"
#include "attend/inspect/scored_pair.h"
#include "attend/tasks/language/scoring.h"

namespace attend {

ScoredText scored_text(const LanguageModel& model, const std::string& text) {
  ScoredText result{text, page_tokens(model.tokenizer, text, "the text")};
  result.ids.insert(result.ids.begin(), model.first_token);
  result.ids.push_back(model.tokenizer.eos_id());
  require_page_length(result.ids, "the text");
  if (std::ssize(result.ids) - 1 > model.context.sequence_length)
    throw DataError(
        fmt::format("the text: expected at most {} tokens, the context of the model, "
                    "found {}; shorten it",
                    model.context.sequence_length - 1, result.ids.size() - 2));
  SequenceScore score = score_lines(model, std::span(&text, 1), ScoringOptions{}).front();
  result.log_probability = score.log_probability;
  result.token_scores = std::move(score.token_scores);
  return result;
}

}  // namespace attend
