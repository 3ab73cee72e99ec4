#include "attend/decode/ensemble_scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/core/parallel.h"

namespace attend {

namespace {

// Of [R, V] log-probabilities of several models; rows in parallel.
Tensor mean_of(std::span<const Tensor> members) {
  const Tensor& first = members.front();
  const Tensor mean = Tensor::empty_on_host(first.shape());
  parallel_for(first.rows(), 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> values(members.size());
    for (std::int64_t row = begin; row < end; ++row) {
      float* const to = mean.row(row);
      for (std::int64_t column = 0; column < first.cols(); ++column) {
        for (std::size_t m = 0; m < members.size(); ++m) values[m] = members[m].row(row)[column];
        to[column] = log_mean_exp(values);
      }
    }
  });
  return Tensor::from(std::span<const float>(mean.data<float>(), mean.size()), mean.shape());
}

}  // namespace

float log_mean_exp(std::span<const float> log_probabilities) {
  const float largest = *std::max_element(log_probabilities.begin(), log_probabilities.end());
  if (!std::isfinite(largest)) return largest;
  float sum = 0;
  for (const float value : log_probabilities) sum += std::exp(value - largest);
  return largest + std::log(sum / static_cast<float>(log_probabilities.size()));
}

EnsembleScorer::EnsembleScorer(std::span<const EncoderDecoder* const> models,
                               std::span<const std::int32_t> suppressed)
    : suppressed_(suppressed.begin(), suppressed.end()) {
  for (const EncoderDecoder* const model : models)
    members_.push_back(std::make_unique<EncoderDecoderScorer>(*model));
}

void EnsembleScorer::join(const EncoderDecoderInput& input) {
  std::vector<Arrival> arrivals;
  for (const auto& member : members_) {
    member->join(input);
    std::vector<Arrival> own = member->take_arrivals();
    if (arrivals.empty()) {
      arrivals = std::move(own);
      continue;
    }
    for (std::size_t i = 0; i < own.size(); ++i)
      arrivals[i].max_length = std::min(arrivals[i].max_length, own[i].max_length);
  }
  for (Arrival& arrival : arrivals) arrive(std::move(arrival));
}

void EnsembleScorer::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  for (const auto& member : members_) member->advance(parents, tokens);
}

Tensor EnsembleScorer::logits(std::int64_t begin, std::int64_t end) {
  std::vector<Tensor> members;
  for (const auto& member : members_) {
    const Tensor logits = member->logits(begin, end);
    backend().log_softmax(logits, logits);
    members.push_back(logits.to_host());
  }
  return mean_of(members);
}

bool EnsembleScorer::adjust(std::int64_t, const Tensor& logits) {
  return suppress(suppressed_, logits);
}

BestTokens EnsembleScorer::best(std::int64_t hypotheses, int k) {
  const int more = k + static_cast<int>(suppressed_.size());
  const BestTokens found(hypotheses, more);
  for_logits(*this, 0, hypotheses, [&](std::int64_t begin, const Tensor& logits) {
    const std::int64_t end = begin + logits.rows(),
                       columns = std::min<std::int64_t>(more, logits.cols());
    backend().log_softmax_top_k(
        logits, static_cast<int>(columns),
        found.log_probabilities.slice_rows(begin, end).slice_columns(0, columns),
        found.columns.slice_rows(begin, end).slice_columns(0, columns));
  });
  return without_suppressed(found, suppressed_, k);
}

}  // namespace attend
