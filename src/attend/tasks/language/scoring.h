// Log-probabilities of given lines under a language model.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "attend/answers.h"
#include "attend/core/files/lines.h"
#include "attend/generator.h"
#include "attend/metrics.h"
#include "attend/tasks/language/model.h"

namespace attend {

// The tokens of a line to score, of which the first is only input.
struct ScoredLine {
  std::vector<std::int32_t> ids;
  std::int64_t characters = 0;  // code points, and one for its end
};
// The line is prepared. Throws LineError for one longer than max_tokens; `where` begins the
// message.
ScoredLine scored_line(const LanguageModel& model, const std::string& line,
                       const std::string& where, int max_tokens);

// Scores each line on its own: log p(tokens and end | the end of the previous line), independent of
// the other lines. A model of documents takes each for one: log p(tokens | those before a text), or
// of all tokens but the first where none stands before it, and no end. A line longer than the
// context is read in windows, half of each new, like in text_perplexity(). A line longer than
// max_tokens is a LineError that names file and line; AnswerSink decides what happens to it. Throws
// NotFiniteError for scores that are not finite, ConfigError for the options.
void score_lines(const LanguageModel& model, LineReader& lines, const ScoringOptions& options,
                 const AnswerSink<SequenceScore>& sink);

// The same for lines in memory; messages say "line 3".
std::vector<SequenceScore> score_lines(const LanguageModel& model,
                                       std::span<const std::string> lines,
                                       const ScoringOptions& options);

std::vector<SequenceScore> score_lines(const LanguageModel& model,
                                       std::span<const ScoredLine> lines);

// The log-probability of each token of a stream but the first, given those before it. A stream
// longer than the context is read in windows as above.
std::vector<float> score_stream(const LanguageModel& model, std::vector<std::int32_t> stream);

// Generator::score_tokens().
std::vector<GeneratedToken> score_tokens(const LanguageModel& model,
                                         std::span<const std::int32_t> ids, int likeliest);

}  // namespace attend
