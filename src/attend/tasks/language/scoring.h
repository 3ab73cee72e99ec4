// How likely a language model finds given lines.
#pragma once

#include <functional>
#include <string>

#include "attend/core/lines.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/sequence_score.h"

namespace attend {

// Each line by itself, as it stands between two ends of lines: log p(tokens and end | the end of a line before). A line that is longer than
// the model's context is read in windows, half of each of them new, as text_perplexity() does. Calls accept in the order of the lines; a
// line's score does not depend on the others. Throws DataError, naming file and line, for a line that is longer than max_tokens, and for
// scores that are not finite; what came before it has been accepted then.
void score_lines(const LanguageModel& model, LineReader& lines, int max_tokens, const std::function<void(const SequenceScore&)>& accept);

}  // namespace attend
