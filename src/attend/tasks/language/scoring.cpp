#include "attend/tasks/language/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/utf8.h"
#include "attend/core/too_long.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/language/perplexity.h"
#include "attend/tasks/text_preparer.h"
#include "attend/text/text_stream.h"

namespace attend {

namespace {

using LineIds = std::vector<std::int32_t>;

// A batch of more tokens is not faster, only larger.
constexpr std::int64_t kMostBatchTokens = 1024;

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

// Half of a window is context.
LanguageEvaluationBatcher windows_of(const LanguageModel& model, std::vector<std::int32_t> stream) {
  const int length = model.context.sequence_length, stride = std::max(1, length / 2);
  if (model.text.has_lines()) return {std::move(stream), model.context, stride, {}};
  std::vector<TokenWindow> windows = document_windows(std::ssize(stream), length, stride);
  return {std::move(stream), std::move(windows), {}};
}

// Positions whose logits are in memory together.
constexpr std::int64_t kPositionsAtOnce = 64;

// The scores and the likeliest tokens at the places of `tokens`, which logits [N, V] predict.
void take_scores(const Tensor& logits, int likeliest, std::span<GeneratedToken> tokens) {
  backend()->log_softmax(logits, logits);
  std::vector<std::int32_t> chosen;
  for (const GeneratedToken& token : tokens) chosen.push_back(token.id);
  const Tensor scores = Tensor::empty({logits.rows(), 1});
  backend()->gather_columns(logits, chosen, std::numeric_limits<float>::quiet_NaN(), scores);
  const std::vector<float> values = scores.to_vector();
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i].score = values[i];
  const std::int64_t k = std::min<std::int64_t>(likeliest, logits.cols());
  if (k == 0) return;
  const Tensor best = Tensor::empty({logits.rows(), k}),
               columns = Tensor::empty({logits.rows(), k}, DType::i32);
  backend()->log_softmax_top_k(logits, static_cast<int>(k), best, columns);
  const Tensor best_values = best.to_host(), ids = columns.to_host();
  for (std::int64_t i = 0; i < logits.rows(); ++i)
    for (std::int64_t j = 0; j < k; ++j)
      tokens[static_cast<std::size_t>(i)].likeliest.push_back(
          {ids.row<std::int32_t>(i)[j], best_values.row(i)[j]});
}

// What each token adds to a text. Those that stand before every text add nothing.
void take_texts(const LanguageModel& model, std::span<GeneratedToken> tokens) {
  const std::vector<std::int32_t>& prefix = model.text.prefix;
  const bool begins =
      tokens.size() >= prefix.size() &&
      std::equal(prefix.begin(), prefix.end(), tokens.begin(),
                 [](std::int32_t id, const GeneratedToken& token) { return id == token.id; });
  const std::int32_t line_end = model.text.has_lines() ? model.tokenizer.eos_id() : -1;
  TextStream stream(model.tokenizer, model.text.has_lines() ? TextStream::LineBreaks::spaces
                                                            : TextStream::LineBreaks::kept);
  for (GeneratedToken& token : tokens.subspan(begins ? prefix.size() : 0))
    token.text = token.id == line_end ? stream.finish() + "\n" : stream.add(token.id);
  if (!tokens.empty()) tokens.back().text += stream.finish();
}

}  // namespace

ScoredLine scored_line(const LanguageModel& model, const std::string& line,
                       const std::string& where, int max_tokens) {
  LineIds ids = model.passage_ids(line);
  const bool has_lines = model.text.has_lines();
  const std::int64_t marks = std::ssize(model.text.prefix) + std::ssize(model.text.suffix) +
                             static_cast<std::int64_t>(has_lines);
  if (const std::int64_t tokens = std::ssize(ids) - marks; tokens > max_tokens)
    throw OptionError<TooLongError>("{}: expected at most {} tokens ({}), got {}", where,
                                    max_tokens, as_flag("max-tokens"), tokens);
  // The end of a line is a character, too.
  return {std::move(ids), static_cast<std::int64_t>(count_code_points(line)) + (has_lines ? 1 : 0)};
}

std::vector<SequenceScore> score_lines(const LanguageModel& model,
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

std::vector<GeneratedToken> score_tokens(const LanguageModel& model,
                                         std::span<const std::int32_t> ids, int likeliest) {
  std::vector<GeneratedToken> tokens;
  for (const std::int32_t id : ids)
    tokens.push_back({0, id, std::numeric_limits<float>::quiet_NaN(), ""});
  take_texts(model, tokens);
  if (ids.size() < 2) return tokens;
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor hidden = model.network->hidden(Ragged::one(ids.first(ids.size() - 1)), pass).value();
  std::vector<float> scores;
  for (std::int64_t begin = 0; begin < hidden.rows(); begin += kPositionsAtOnce) {
    const std::int64_t end = std::min(begin + kPositionsAtOnce, hidden.rows());
    const auto some = std::span(tokens).subspan(static_cast<std::size_t>(begin) + 1,
                                                static_cast<std::size_t>(end - begin));
    take_scores(model.network->project(Variable(hidden.slice_rows(begin, end))).value(), likeliest,
                some);
    for (const GeneratedToken& token : some) scores.push_back(token.score);
  }
  require_finite(scores, "log-probabilities of the tokens", model.source);
  return tokens;
}

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

void score_lines(const LanguageModel& model, LineReader& lines, const ScoringOptions& options,
                 const AnswerSink<SequenceScore>& sink) {
  const TextPreparer prepare = TextPreparer::of_input(model.text_kinds, options.preparation);
  answer_lines(
      lines, kAnswerWindow, sink,
      [&](const std::string& line) {
        return scored_line(model, prepare(line), lines.where(), options.max_tokens);
      },
      [&](std::span<const ScoredLine> some) { return score_lines(model, some); });
}

std::vector<SequenceScore> score_lines(const LanguageModel& model,
                                       std::span<const std::string> lines,
                                       const ScoringOptions& options) {
  const TextPreparer prepare = TextPreparer::of_input(model.text_kinds, options.preparation);
  std::vector<SequenceScore> scores;
  const AnswerSink<SequenceScore> sink{
      .accept = [&](const SequenceScore& score) { scores.push_back(score); }};
  answer_texts(
      lines, "line ", sink,
      [&](const std::string& line, const std::string& where) {
        return scored_line(model, prepare(line), where, options.max_tokens);
      },
      [&](std::span<const ScoredLine> some) { return score_lines(model, some); });
  return scores;
}

}  // namespace attend
