// Sampling tokens, and mixing their probabilities with those of a cache. The cost of a row is its
// exponentials and sorting.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <vector>

#include "attend/backend/fast/fast_backend.h"
#include "attend/backend/fast/rows/runs.h"
#include "attend/backend/ids_span.h"

namespace attend {

namespace {

// Samples row after row with the same memory.
class TokenDraw {
 public:
  explicit TokenDraw(const TokenFilter& filter) : filter_(filter) {}

  std::int32_t operator()(std::span<const float> log_probabilities, float uniform) {
    const float highest = *std::max_element(log_probabilities.begin(), log_probabilities.end());
    if (!std::isfinite(highest)) return -1;
    choose(log_probabilities);
    weights_.resize(order_.size());
    double total = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      total += weights_[i] = std::exp(
          (log_probabilities[static_cast<std::size_t>(order_[i])] - highest) / filter_.temperature);
    if (filter_.top_p < 1.0f) total = cut(total);
    double remaining = uniform * total;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      remaining -= weights_[i];
      if (remaining < 0) return order_[i];
    }
    return order_[weights_.size() - 1];
  }

 private:
  // The columns to draw from: most likely first if truncated, otherwise in order. Impossible ones
  // do not count, since a row may have some only because of others in its batch.
  void choose(std::span<const float> log_probabilities) {
    order_.clear();
    for (std::size_t i = 0; i < log_probabilities.size(); ++i)
      if (log_probabilities[i] != -INFINITY) order_.push_back(static_cast<std::int32_t>(i));
    const auto likelier = [&](std::int32_t a, std::int32_t b) {
      const float pa = log_probabilities[static_cast<std::size_t>(a)],
                  pb = log_probabilities[static_cast<std::size_t>(b)];
      return pa != pb ? pa > pb : a < b;
    };
    if (filter_.top_k > 0 && filter_.top_k < std::ssize(order_)) {
      std::partial_sort(order_.begin(), order_.begin() + filter_.top_k, order_.end(), likelier);
      order_.resize(static_cast<std::size_t>(filter_.top_k));
    } else if (filter_.top_p < 1.0f) {
      std::sort(order_.begin(), order_.end(), likelier);
    }
  }

  // Keeps the first weights that reach their share of `total`. -> their sum
  double cut(double total) {
    double kept = 0;
    std::size_t count = 0;
    while (count < weights_.size() && (count == 0 || kept < filter_.top_p * total))
      kept += weights_[count++];
    weights_.resize(count);
    return kept;
  }

  TokenFilter filter_;
  std::vector<std::int32_t> order_;
  std::vector<double> weights_;
};

// softmax(scale * scores), in place.
void to_weights(std::span<float> scores, float scale) {
  const float highest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (float& score : scores) total += score = std::exp(scale * (score - highest));
  for (float& score : scores) score = static_cast<float>(score / total);
}

// log((1 - weight) p + weight * share), also for p that underflows.
float mixture(float log_probability, double share, float weight) {
  if (share == 0) return log_probability + std::log1p(-weight);
  return static_cast<float>(
      std::log((1.0 - weight) * std::exp(static_cast<double>(log_probability)) + weight * share));
}

// weights[i] belongs to state i, whose token is tokens[i].
void mix_all_tokens(std::span<const float> weights, std::span<const std::int32_t> tokens,
                    float weight, std::span<float> log_probabilities) {
  std::map<std::int32_t, double> shares;
  for (std::size_t i = 0; i < weights.size(); ++i) shares[tokens[i]] += weights[i];
  const float rest = std::log1p(-weight);
  auto next = shares.begin();
  for (std::size_t v = 0; v < log_probabilities.size(); ++v) {
    float& own = log_probabilities[v];
    if (next == shares.end() || static_cast<std::size_t>(next->first) != v) {
      own += rest;
    } else {
      own = mixture(own, next++->second, weight);
    }
  }
}

float mix_token(std::span<const float> weights, std::span<const std::int32_t> tokens,
                std::int32_t target, float weight, float own) {
  double share = 0;
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (tokens[i] == target) share += weights[i];
  return mixture(own, share, weight);
}

}  // namespace

void FastBackend::sample(const Tensor& log_probabilities, const TokenFilter& filter,
                         const Tensor& uniform, const Tensor& columns) {
  assert(uniform.size() == log_probabilities.rows() && columns.size() == log_probabilities.rows());
  const auto width = static_cast<std::size_t>(log_probabilities.cols());
  parallel_for(log_probabilities.rows(), 1, [&](std::int64_t begin, std::int64_t end) {
    TokenDraw draw(filter);
    for (std::int64_t r = begin; r < end; ++r)
      columns.data<std::int32_t>()[r] = draw({log_probabilities.row(r), width}, uniform.data()[r]);
  });
}

void FastBackend::mix_with_cache(const Tensor& scores, const TokenCache& cache, const Ids& targets,
                                 const Tensor& log_probabilities) {
  assert(scores.cols() == cache.tokens.size());
  const auto all_tokens = device_span(cache.tokens), wanted = device_span(targets);
  parallel_for(scores.rows(), 1, [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t r = from; r < to; ++r) {
      const std::int64_t end = cache.seen + r,
                         begin = std::max<std::int64_t>(end - cache.window, 0);
      if (begin == end) continue;
      const auto count = static_cast<std::size_t>(end - begin);
      const std::span<float> weights(scores.row(r) + begin, count);
      const std::span<const std::int32_t> tokens =
          all_tokens.subspan(static_cast<std::size_t>(begin), count);
      to_weights(weights, cache.scale);
      if (wanted.empty()) {
        mix_all_tokens(
            weights, tokens, cache.weight,
            {log_probabilities.row(r), static_cast<std::size_t>(log_probabilities.cols())});
      } else {
        float& own = log_probabilities.data()[r];
        own = mix_token(weights, tokens, wanted[static_cast<std::size_t>(r)], cache.weight, own);
      }
    }
  });
}

}  // namespace attend
