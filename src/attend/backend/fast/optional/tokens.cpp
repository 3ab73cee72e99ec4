// Sampling tokens, and mixing their probabilities with those of a cache. The cost of a row is its
// exponentials, and of top-p the sorting of its likeliest tokens.
#include <algorithm>
#include <cassert>
#include <cfloat>
#include <cmath>
#include <map>
#include <optional>
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
    row_ = log_probabilities;
    highest_ = *std::max_element(row_.begin(), row_.end());
    if (!std::isfinite(highest_)) return -1;
    double remaining = uniform * choose();
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      remaining -= weights_[i];
      if (remaining < 0) return order_[i];
    }
    return order_[weights_.size() - 1];
  }

 private:
  using Order = std::vector<std::int32_t>;

  float log_probability(std::int32_t column) const {
    return row_[static_cast<std::size_t>(column)];
  }
  float weight(std::int32_t column) const {
    return std::exp((log_probability(column) - highest_) / filter_.temperature);
  }
  auto likelier() const {
    return [this](std::int32_t a, std::int32_t b) {
      const float pa = log_probability(a), pb = log_probability(b);
      return pa != pb ? pa > pb : a < b;
    };
  }

  // Sets the columns to draw from, and their weights: most likely first if truncated, otherwise in
  // order. -> the sum of the weights. Impossible columns do not count, since a row may have some
  // only because of others in its batch.
  double choose() {
    order_.clear();
    for (std::size_t i = 0; i < row_.size(); ++i)
      if (row_[i] != -INFINITY) order_.push_back(static_cast<std::int32_t>(i));
    if (filter_.top_k > 0 && filter_.top_k < std::ssize(order_)) {
      std::partial_sort(order_.begin(), order_.begin() + filter_.top_k, order_.end(), likelier());
      order_.resize(static_cast<std::size_t>(filter_.top_k));
    } else if (filter_.top_p < 1.0f) {
      if (const auto sum = cut_unsorted()) return *sum;
      std::sort(order_.begin(), order_.end(), likelier());
    }
    const double total = weigh(order_.size());
    return filter_.top_p < 1.0f ? cut(total) : total;
  }

  // Weighs the first columns. -> the sum
  double weigh(std::size_t count) {
    weights_.resize(count);
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) total += weights_[i] = weight(order_[i]);
    return total;
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

  // What sorting all columns, weigh() and cut() would do, but sorts only the likeliest. The total
  // is summed in another order, so its last bits differ: nullopt when these could matter.
  std::optional<double> cut_unsorted() {
    const double total = weigh(order_.size()), count = static_cast<double>(order_.size());
    const double share = filter_.top_p * total, error = 8 * count * DBL_EPSILON * total;
    // Even all smaller weights together are only half of what is cut off.
    const double smallest = 0.5 * (total - share) / count;
    std::size_t candidates = 0;
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (weights_[i] >= smallest) std::swap(order_[candidates++], order_[i]);
    double kept = 0;
    weights_.clear();
    while (weights_.size() < candidates) {
      const std::size_t sorted = sort_more(weights_.size(), candidates);
      while (weights_.size() < sorted) {
        if (kept > share + error) return kept;
        if (kept >= share - error && !weights_.empty()) return std::nullopt;
        kept += weights_.emplace_back(weight(order_[weights_.size()]));
      }
    }
    return kept > share + error ? std::optional(kept) : std::nullopt;
  }

  // Moves the likeliest of the columns from `begin` to the front of them, in order. -> their end
  std::size_t sort_more(std::size_t begin, std::size_t candidates) {
    const std::size_t end = std::min(candidates, std::max<std::size_t>(64, 4 * begin));
    const auto at = [this](std::size_t i) {
      return order_.begin() + static_cast<std::ptrdiff_t>(i);
    };
    if (end < candidates) std::nth_element(at(begin), at(end), at(candidates), likelier());
    std::sort(at(begin), at(end), likelier());
    return end;
  }

  TokenFilter filter_;
  std::span<const float> row_;
  float highest_ = 0;
  Order order_;
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
