// How likely a language model finds given lines.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>
#include "attend/answers.h"
#include "attend/core/lines.h"
#include "attend/metrics.h"
#include "attend/tasks/language/model.h"

namespace attend {

// Each line by itself, as it stands between two ends of lines: log p(tokens and end | the end of a
// line before). A line that is longer than the model's context is read in windows, half of each of
// them new, as text_perplexity() does. A line's score does not depend on the others. A line that is
// longer than max_tokens is a LineError that names file and line; see AnswerSink for what becomes
// of it. Throws NotFiniteError for scores that are not finite.
void score_lines(const LanguageModel& model, LineReader& lines, int max_tokens,
                 const AnswerSink<SequenceScore>& sink);

// The same for lines in memory: "line 3" in messages.
std::vector<SequenceScore> score_lines(const LanguageModel& model,
                                       std::span<const std::string> lines,
                                       const ScoringOptions& options);

}  // namespace attend
