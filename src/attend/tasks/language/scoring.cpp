#include "attend/tasks/language/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "attend/checkpoint/finite.h"
#include "attend/core/too_long.h"
#include "attend/core/utf8.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/language/perplexity.h"

namespace attend {

namespace {

using LineIds = std::vector<std::int32_t>;

// A batch of more tokens is not faster, only larger.
constexpr std::int64_t kMostBatchTokens = 1024;

struct ScoredLine {
  LineIds ids;  // of which the first is only input
  std::int64_t characters = 0;
};

SequenceScore score_of(std::vector<float> token_scores, const LanguageModel& model) {
  require_finite(token_scores, "log-probabilities of the tokens", model.source);
  const float sum = std::accumulate(token_scores.begin(), token_scores.end(), 0.0f);
  return {.log_probability = sum, .token_scores = std::move(token_scores)};
}

// Scores lines of two or more tokens that fit into the context, as a batch.
void score_short(const LanguageModel& model, std::span<const LineIds* const> lines,
                 std::span<SequenceScore* const> scores) {
  RaggedBuilder inputs;
  LineIds targets;
  for (const LineIds* line : lines) {
    inputs.append(std::span(*line).first(line->size() - 1));
    inputs.end_sequence();
    targets.insert(targets.end(), line->begin() + 1, line->end());
  }
  const LanguageBatch batch{inputs.build(), std::move(targets), LineIds(lines.size(), 0)};
  const std::vector<float> log_probabilities = target_log_probabilities(*model.network, batch);
  for (std::int64_t i = 0; i < batch.input.sequences(); ++i) {
    const auto first = log_probabilities.begin() + batch.input.begin_of(i);
    *scores[static_cast<std::size_t>(i)] = score_of({first, first + batch.input.length(i)}, model);
  }
}

std::vector<SequenceScore> scores_of(const LanguageModel& model,
                                     std::span<const ScoredLine> lines) {
  std::vector<SequenceScore> scores(lines.size());
  std::vector<const LineIds*> together;
  std::vector<SequenceScore*> of_them;
  std::int64_t tokens = 0;  // of the lines together
  const auto flush = [&] {
    if (!together.empty()) score_short(model, together, of_them);
    together.clear();
    of_them.clear();
    tokens = 0;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::int64_t length = std::ssize(lines[i].ids);
    if (length < 2) continue;  // nothing is predicted
    if (length - (model.text.has_lines() ? 1 : 0) > model.context.sequence_length) {
      scores[i] = score_of(score_stream(model, lines[i].ids), model);
      continue;
    }
    if (tokens + length > kMostBatchTokens) flush();
    together.push_back(&lines[i].ids);
    of_them.push_back(&scores[i]);
    tokens += length;
  }
  flush();
  for (std::size_t i = 0; i < lines.size(); ++i) scores[i].characters = lines[i].characters;
  return scores;
}

ScoredLine scored_line(const LanguageModel& model, const std::string& line,
                       const std::string& where, int max_tokens) {
  LineIds ids = model.passage_ids(line);
  const bool has_lines = model.text.has_lines();
  const std::int64_t marks = std::ssize(model.text.prefix) + std::ssize(model.text.suffix) +
                             static_cast<std::int64_t>(has_lines);
  if (const std::int64_t tokens = std::ssize(ids) - marks; tokens > max_tokens)
    throw TooLongError(fmt::format("{}: expected at most {} tokens (--max-tokens), got {}", where,
                                   max_tokens, tokens));
  // The end of a line is a character, too.
  return {std::move(ids), static_cast<std::int64_t>(count_code_points(line)) + (has_lines ? 1 : 0)};
}

// Of which half is context.
LanguageEvaluationBatcher windows_of(const LanguageModel& model, std::vector<std::int32_t> stream) {
  const int length = model.context.sequence_length, stride = std::max(1, length / 2);
  if (model.text.has_lines()) return {std::move(stream), model.context, stride, {}};
  std::vector<TokenWindow> windows = document_windows(std::ssize(stream), length, stride);
  return {std::move(stream), std::move(windows), {}};
}

}  // namespace

std::vector<float> score_stream(const LanguageModel& model, std::vector<std::int32_t> stream) {
  if (stream.size() < 2) return {};
  const LanguageEvaluationBatcher windows = windows_of(model, std::move(stream));
  std::vector<float> scores;
  for (std::int64_t i = 0; i < windows.batches(); ++i) {
    const std::vector<float> more = target_log_probabilities(*model.network, windows.batch(i));
    scores.insert(scores.end(), more.begin(), more.end());
  }
  require_finite(scores, "log-probabilities of the tokens", model.source);
  return scores;
}

void score_lines(const LanguageModel& model, LineReader& lines, int max_tokens,
                 const AnswerSink<SequenceScore>& sink) {
  std::string line;
  const auto next = [&]() -> std::optional<ScoredLine> {
    if (!lines.next(line)) return std::nullopt;
    return scored_line(model, line, lines.where(), max_tokens);
  };
  answer_all(Conversation<ScoredLine, SequenceScore>{
      .arrived = [&] { return lines.has_arrived(); },
      .next = next,
      .where = [&] { return lines.where(); },
      .answer = [&](std::span<const ScoredLine> some) { return scores_of(model, some); },
      .sink = sink,
  });
}

std::vector<SequenceScore> score_lines(const LanguageModel& model,
                                       std::span<const std::string> lines,
                                       const ScoringOptions& options) {
  std::size_t index = 0;
  const auto where = [&] { return fmt::format("line {}", index); };
  std::vector<SequenceScore> scores;
  answer_all(Conversation<ScoredLine, SequenceScore>{
      .arrived = [] { return true; },
      .next = [&]() -> std::optional<ScoredLine> {
        if (index == lines.size()) return std::nullopt;
        const std::string& line = lines[index++];
        return scored_line(model, line, where(), options.max_tokens);
      },
      .where = where,
      .answer = [&](std::span<const ScoredLine> some) { return scores_of(model, some); },
      .sink = {.accept = [&](const SequenceScore& score) { scores.push_back(score); }},
  });
  return scores;
}

}  // namespace attend
