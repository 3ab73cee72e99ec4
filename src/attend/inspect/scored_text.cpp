#include "attend/inspect/scored_text.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "attend/error.h"
#include "attend/inspect/scored_pair.h"
#include "attend/tasks/language/scoring.h"

namespace attend {

ScoredText scored_text(const LanguageModel& model, const std::string& text) {
  page_tokens(model.tokenizer, text, "the text");  // refuses what is no text
  ScoredText result{text, model.passage_ids(text)};
  require_page_length(result.ids, "the text");
  if (result.ids.size() < 2)
    throw DataError(
        "the text: expected two or more tokens, of which the first predicts the others, found one");
  const std::int64_t tokens = std::ssize(model.ids(text)), marks = std::ssize(result.ids) - tokens;
  if (std::ssize(result.ids) - 1 > model.context.sequence_length)
    throw DataError(
        fmt::format("the text: expected at most {} tokens, the context of the model, "
                    "found {}; shorten it",
                    model.context.sequence_length + 1 - marks, tokens));
  SequenceScore score = score_lines(model, std::span(&text, 1), ScoringOptions{}).front();
  result.log_probability = score.log_probability;
  result.token_scores = std::move(score.token_scores);
  return result;
}

}  // namespace attend
