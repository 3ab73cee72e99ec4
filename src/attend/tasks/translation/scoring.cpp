#include "attend/tasks/translation/scoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "attend/checkpoint/finite.h"
#include "attend/core/options/option_error.h"
#include "attend/core/too_long.h"
#include "attend/data/corpus.h"
#include "attend/error.h"
#include "attend/tasks/answers.h"
#include "attend/tasks/learned_positions.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/line_pairs.h"
#include "attend/tasks/translation/translation_call.h"

namespace attend {

namespace {

constexpr std::size_t kBatch = 64;  // pairs per batch

void score_batch(const TranslationModel& model, const PairSpecialTokens& marks,
                 std::span<const std::vector<std::int32_t>> src,
                 std::span<const std::vector<std::int32_t>> tgt,
                 std::vector<SequenceScore>& scores) {
  const std::vector<std::int32_t>& begin = marks.before_target;
  const auto unscored = std::ssize(begin) - 1;  // the last mark predicts the first written token
  RaggedBuilder sources, inputs;
  std::vector<std::int32_t> targets;
  for (std::size_t i = 0; i < src.size(); ++i) {
    sources.add(src[i]);
    inputs.append(begin);
    inputs.append(tgt[i]);
    inputs.end_sequence();
    targets.insert(targets.end(), begin.begin() + 1, begin.end());
    targets.insert(targets.end(), tgt[i].begin(), tgt[i].end());
    targets.push_back(model.special().eos);
  }
  Pass pass = Pass::inference();
  const Ragged source = sources.build(), input = inputs.build();
  const Variable memory = model.network->encode(source, pass);
  const Variable hidden = model.network->decode(input, memory, source, pass);
  const std::vector<float> log_probabilities =
      model.network->target_log_probabilities(hidden, targets);
  require_finite(log_probabilities, "log-probabilities of the target tokens", model.source);
  for (std::size_t i = 0; i < tgt.size(); ++i) {
    SequenceScore score;
    const auto first = log_probabilities.begin() + input.begin_of(static_cast<std::int64_t>(i));
    score.token_scores.assign(first + unscored, first + input.length(static_cast<std::int64_t>(i)));
    score.log_probability =
        std::accumulate(score.token_scores.begin(), score.token_scores.end(), 0.0f);
    require_finite(std::span(&score.log_probability, 1), "the log-probability of a target",
                   model.source);
    scores.push_back(std::move(score));
  }
}

// Throws LineError for a text of a pair to score, to which `marks` tokens are added.
void check_length(const std::vector<std::int32_t>& ids, int marks, const std::string& where,
                  std::int64_t positions, const ScoringOptions& options) {
  if (std::ssize(ids) > options.max_tokens)
    throw OptionError<TooLongError>("{}: expected at most {} tokens ({}), got {}", where,
                                    options.max_tokens, as_flag("max-tokens"), ids.size());
  require_room(where, std::ssize(ids), marks, positions);
}

}  // namespace

std::vector<SequenceScore> score_pairs(const TranslationModel& model,
                                       const PairSpecialTokens& marks,
                                       std::span<const std::vector<std::int32_t>> src,
                                       std::span<const std::vector<std::int32_t>> tgt) {
  const NoGradient guard;
  std::vector<SequenceScore> scores;
  scores.reserve(src.size());
  for (std::size_t begin = 0; begin < src.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, src.size() - begin);
    score_batch(model, marks, src.subspan(begin, count), tgt.subspan(begin, count), scores);
  }
  return scores;
}

PairToScore TranslationEngine::with_marks(PairToScore pair, const std::string& source_name,
                                          const std::string& target_name,
                                          const PairSpecialTokens& marks,
                                          const ScoringOptions& options) const {
  const std::int64_t positions = ensemble_->longest_input();
  check_length(pair.source, marks.of_source(), source_name, positions, options);
  check_length(pair.target, marks.of_target(), target_name, positions, options);
  pair.source = marks.around(pair.source);
  return pair;
}

std::pair<TextPreparer, TextPreparer> TranslationEngine::preparers(
    const ScoringOptions& options) const {
  return {TextPreparer::of_input(model().text_kinds, options.preparation),
          TextPreparer::of_target(model().text_kinds, options.preparation)};
}

std::vector<PairToScore> TranslationEngine::scored_pairs(std::span<const std::string> src,
                                                         std::span<const std::string> tgt,
                                                         const ScoringOptions& options,
                                                         const LanguagePair& languages) const {
  if (src.size() != tgt.size())
    throw DataError(
        fmt::format("expected as many targets as sources, got {} and {}", tgt.size(), src.size()));
  const PairSpecialTokens marks = model().format.of(languages);
  const auto [source, target] = preparers(options);
  std::vector<std::vector<std::int32_t>> sources = encode_all(source(src), model().src_tokenizer),
                                         targets = encode_all(target(tgt), model().tgt_tokenizer);
  const auto judge = judge_of(options, languages);
  std::vector<PairToScore> pairs;
  for (std::size_t i = 0; i < src.size(); ++i) {
    pairs.push_back(with_marks({std::move(sources[i]), std::move(targets[i])},
                               fmt::format("source {}", i + 1), fmt::format("target {}", i + 1),
                               marks, options));
    if (!judge) continue;
    pairs.back().source_text = src[i];
    pairs.back().target_text = tgt[i];
    pairs.back().judge = judge;
  }
  return pairs;
}

std::shared_ptr<const TrustJudge> TranslationEngine::judge_of(const ScoringOptions& options,
                                                              const LanguagePair& languages) const {
  return options.trust ? trust_judge(*ensemble_, languages, options.preparation) : nullptr;
}

void TranslationEngine::judge(std::span<const PairToScore> pairs, const PairSpecialTokens& marks,
                              std::vector<SequenceScore>& scores) const {
  std::vector<std::vector<std::int32_t>> targets;
  for (const PairToScore& pair : pairs)
    if (pair.judge && pair.judge->is_calibrated()) targets.push_back(pair.target);
  const std::vector<std::vector<std::int32_t>> nothing(targets.size(), marks.around({}));
  const std::vector<SequenceScore> alone = ensemble_->score(marks, nothing, targets);
  auto next = alone.begin();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].judge) continue;
    TranslationScores own{scores[i].token_scores};
    if (pairs[i].judge->is_calibrated()) own.without_source = (next++)->token_scores;
    scores[i].trust = pairs[i].judge->of(pairs[i].source_text, pairs[i].target_text, own);
  }
}

std::vector<SequenceScore> TranslationEngine::score(std::span<const PairToScore> pairs,
                                                    const LanguagePair& languages) const {
  std::vector<std::vector<std::int32_t>> sources, targets;
  for (const PairToScore& pair : pairs) {
    sources.push_back(pair.source);
    targets.push_back(pair.target);
  }
  const PairSpecialTokens marks = model().format.of(languages);
  std::vector<SequenceScore> scores = ensemble_->score(marks, sources, targets);
  judge(pairs, marks, scores);
  return scores;
}

std::vector<SequenceScore> TranslationEngine::score(std::span<const std::string> src,
                                                    std::span<const std::string> tgt,
                                                    const ScoringOptions& options,
                                                    const LanguagePair& languages) const {
  return score(scored_pairs(src, tgt, options, languages), languages);
}

void TranslationEngine::score(LineReader& src, LineReader& tgt,
                              const AnswerSink<SequenceScore>& sink, const ScoringOptions& options,
                              const LanguagePair& languages) const {
  const PairSpecialTokens marks = model().format.of(languages);
  const auto [source, target] = preparers(options);
  const auto judge = judge_of(options, languages);
  const auto next = [&, &of_source = source, &of_target = target]() -> std::optional<PairToScore> {
    auto lines = next_of_both(src, tgt);
    if (!lines) return std::nullopt;
    PairToScore pair = with_marks({model().src_tokenizer.encode(of_source(lines->first)),
                                   model().tgt_tokenizer.encode(of_target(lines->second))},
                                  src.where(), tgt.where(), marks, options);
    pair.judge = judge;
    if (judge) std::tie(pair.source_text, pair.target_text) = std::move(*lines);
    return pair;
  };
  answer_all(Conversation<PairToScore, SequenceScore>{
      .arrived = [&] { return src.has_arrived() && tgt.has_arrived(); },
      .next = next,
      .where = [&] { return src.where(); },
      .answer = [&](std::span<const PairToScore> pairs) { return score(pairs, languages); },
      .sink = sink,
  });
}

}  // namespace attend
