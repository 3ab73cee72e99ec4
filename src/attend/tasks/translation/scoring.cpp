#include "attend/tasks/translation/scoring.h"

#include <algorithm>
#include <numeric>

#include "attend/checkpoint/finite.h"

namespace attend {

namespace {

constexpr std::size_t kBatch = 64;  // pairs that go through the model together

struct Sequences {
  std::vector<std::int32_t> ids, offsets{0};
  void end_sequence() { offsets.push_back(static_cast<std::int32_t>(ids.size())); }
  Tokens tokens() const { return Tokens::copy(ids, offsets); }
};

void append(std::vector<std::int32_t>& ids, const std::vector<std::int32_t>& more) { ids.insert(ids.end(), more.begin(), more.end()); }

void score_batch(const TranslationModel& model, std::span<const std::vector<std::int32_t>> src,
                 std::span<const std::vector<std::int32_t>> tgt, std::vector<PairScore>& scores) {
  const SpecialTokens special = model.special();
  Sequences source, input;
  std::vector<std::int32_t> targets;
  for (std::size_t i = 0; i < src.size(); ++i) {
    append(source.ids, src[i]);
    source.end_sequence();
    input.ids.push_back(special.bos);
    append(input.ids, tgt[i]);
    input.end_sequence();
    append(targets, tgt[i]);
    targets.push_back(special.eos);
  }
  Pass pass = Pass::inference();
  const Tokens source_tokens = source.tokens();
  const Variable memory = model.network->encode(source_tokens, pass);
  const Variable hidden = model.network->decode(input.tokens(), memory, source_tokens, pass);
  const std::vector<float> log_probabilities = model.network->target_log_probabilities(hidden, targets);
  require_finite(log_probabilities, "log-probabilities of the target tokens", model.source);
  for (std::size_t i = 0; i < tgt.size(); ++i) {
    PairScore score;
    score.token_scores.assign(log_probabilities.begin() + input.offsets[i], log_probabilities.begin() + input.offsets[i + 1]);
    score.log_probability = std::accumulate(score.token_scores.begin(), score.token_scores.end(), 0.0f);
    require_finite(std::span(&score.log_probability, 1), "the log-probability of a target", model.source);
    scores.push_back(std::move(score));
  }
}

}  // namespace

std::vector<PairScore> score_pairs(const TranslationModel& model, std::span<const std::vector<std::int32_t>> src,
                                   std::span<const std::vector<std::int32_t>> tgt) {
  const NoGradient guard;
  std::vector<PairScore> scores;
  scores.reserve(src.size());
  for (std::size_t begin = 0; begin < src.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, src.size() - begin);
    score_batch(model, src.subspan(begin, count), tgt.subspan(begin, count), scores);
  }
  return scores;
}

}  // namespace attend
