#include "attend/decode/sampling.h"

#include <fmt/format.h>

#include <limits>
#include <numeric>

#include "attend/backend/backend.h"
#include "attend/core/option_fields.h"
#include "attend/core/random.h"
#include "attend/error.h"

namespace attend {

Sampler::Sampler(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
                 std::span<const std::uint64_t> stream_of_sentence)
    : scorer_(scorer), eos_(eos), options_(options) {
  check_options(options);
  const auto count = static_cast<std::size_t>(scorer.sentences());
  if (stream_of_sentence.size() != count)
    throw ConfigError(fmt::format("sampling: expected a stream for each of {} sentences, got {}",
                                  count, stream_of_sentence.size()));
  results_.resize(count);
  for (const std::uint64_t stream : stream_of_sentence)
    random_.emplace_back(RandomKey{options.seed, stream});
  rows_.resize(count);
  std::iota(rows_.begin(), rows_.end(), 0);
  sentences_ = rows_;
  for (std::int64_t s = 0; s < std::ssize(rows_); ++s) tokens_.push_back(scorer.first_token(s));
}

std::int64_t Sampler::max_length(std::int64_t sentence) const {
  return options_.max_length > 0 ? options_.max_length : scorer_.max_length(sentence);
}

std::vector<std::pair<std::int32_t, float>> Sampler::draw() {
  std::vector<std::pair<std::int32_t, float>> drawn;
  for_logits(scorer_, std::ssize(rows_), [&](std::int64_t begin, const Tensor& logits) {
    const Tensor log_probabilities = Tensor::empty(logits.shape());
    backend().log_softmax(logits, log_probabilities);
    const bool adjusted = scorer_.adjust(begin, logits);
    if (adjusted) backend().log_softmax(logits, logits);
    std::vector<float> uniform;
    for (std::int64_t i = 0; i < logits.rows(); ++i)
      uniform.push_back(
          random_[static_cast<std::size_t>(sentences_[static_cast<std::size_t>(begin + i)])]
              .uniform());
    const Tensor columns = Tensor::empty({logits.rows()}, DType::i32),
                 scores = Tensor::empty({logits.rows(), 1});
    const TokenFilter filter{options_.temperature, options_.top_k, options_.top_p};
    backend().sample(adjusted ? logits : log_probabilities, filter,
                     Tensor::from(uniform, {logits.rows()}), columns);
    const Tensor host = columns.to_host();
    const Ids chosen =
        std::vector(host.data<std::int32_t>(), host.data<std::int32_t>() + host.size());
    backend().gather_columns(log_probabilities, chosen, std::numeric_limits<float>::quiet_NaN(),
                             scores);
    const std::vector<float> values = scores.to_vector();
    for (std::int64_t i = 0; i < logits.rows(); ++i) {
      require_probabilities(values[static_cast<std::size_t>(i)]);
      drawn.emplace_back(scorer_.token(begin + i, chosen[i]), values[static_cast<std::size_t>(i)]);
    }
  });
  return drawn;
}

void Sampler::step() {
  scorer_.step(rows_, tokens_);
  const std::vector<std::pair<std::int32_t, float>> drawn = draw();
  std::vector<std::int32_t> rows, tokens, sentences;
  for (std::size_t r = 0; r < drawn.size(); ++r) {
    const auto [token, score] = drawn[r];
    Hypothesis& result = results_[static_cast<std::size_t>(sentences_[r])];
    result.token_scores.push_back(score);
    result.log_probability += score;
    result.score = result.log_probability;
    if (token == eos_) continue;
    result.ids.push_back(token);
    if (std::ssize(result.ids) >= max_length(sentences_[r])) {
      result.complete = false;
      continue;
    }
    rows.push_back(static_cast<std::int32_t>(r));
    tokens.push_back(token);
    sentences.push_back(sentences_[r]);
  }
  rows_ = std::move(rows);
  tokens_ = std::move(tokens);
  sentences_ = std::move(sentences);
}

std::vector<Hypothesis> sample(Scorer& scorer, std::int32_t eos, const SamplingOptions& options,
                               std::span<const std::uint64_t> stream_of_sentence) {
  Sampler sampler(scorer, eos, options, stream_of_sentence);
  while (!sampler.done()) sampler.step();
  return sampler.hypotheses();
}

}  // namespace attend
