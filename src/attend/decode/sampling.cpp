#include "attend/decode/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/backend/backend.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/random.h"

namespace attend {

std::int32_t sample_token(std::span<const float> log_probabilities, const SamplingOptions& options, float uniform) {
  const float highest = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  require_probabilities(highest);
  std::vector<std::int32_t> order(log_probabilities.size());
  std::iota(order.begin(), order.end(), 0);
  const auto likelier = [&](std::int32_t a, std::int32_t b) {
    const float pa = log_probabilities[static_cast<std::size_t>(a)], pb = log_probabilities[static_cast<std::size_t>(b)];
    return pa != pb ? pa > pb : a < b;
  };
  if (options.top_k > 0 && static_cast<std::size_t>(options.top_k) < order.size()) {
    std::partial_sort(order.begin(), order.begin() + options.top_k, order.end(), likelier);
    order.resize(static_cast<std::size_t>(options.top_k));
  } else if (options.top_p < 1.0f) {
    std::sort(order.begin(), order.end(), likelier);
  }

  std::vector<double> weights(order.size());
  double total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    weights[i] = std::exp((log_probabilities[static_cast<std::size_t>(order[i])] - highest) / options.temperature);
    total += weights[i];
  }
  if (options.top_p < 1.0f) {
    double kept = 0;
    std::size_t count = 0;
    while (count < weights.size() && (count == 0 || kept < options.top_p * total)) kept += weights[count++];
    weights.resize(count);
    total = kept;
  }
  double remaining = uniform * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    remaining -= weights[i];
    if (remaining < 0) return order[i];
  }
  return order[weights.size() - 1];
}

Sampler::Sampler(Scorer& scorer, std::int32_t eos, const SamplingOptions& options, std::span<const std::uint64_t> stream_of_sentence)
    : scorer_(scorer), eos_(eos), options_(options) {
  check_options(options);
  const auto count = static_cast<std::size_t>(scorer.sentences());
  if (stream_of_sentence.size() != count)
    throw ConfigError(fmt::format("sampling: expected a stream for each of {} sentences, got {}", count, stream_of_sentence.size()));
  results_.resize(count);
  for (const std::uint64_t stream : stream_of_sentence) random_.emplace_back(RandomKey{options.seed, stream});
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
    for (std::int64_t i = 0; i < logits.rows(); ++i) {
      const float* scores = log_probabilities.row(i);
      require_probabilities(*std::max_element(scores, scores + log_probabilities.cols()));
    }
    const bool adjusted = scorer_.adjust(begin, logits);
    if (adjusted) backend().log_softmax(logits, logits);
    for (std::int64_t i = 0; i < logits.rows(); ++i) {
      const std::span<const float> row((adjusted ? logits : log_probabilities).row(i), static_cast<std::size_t>(logits.cols()));
      const auto s = static_cast<std::size_t>(sentences_[static_cast<std::size_t>(begin + i)]);
      const std::int32_t column = sample_token(row, options_, random_[s].uniform());
      drawn.emplace_back(scorer_.token(begin + i, column), log_probabilities.row(i)[column]);
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
