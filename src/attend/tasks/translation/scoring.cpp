#include "attend/tasks/translation/scoring.h"

#include <algorithm>
#include <numeric>

#include "attend/checkpoint/finite.h"

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

}  // namespace attend
