#include "attend/decode/continuous_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "attend/backend/backend.h"
#include "attend/core/error.h"
#include "attend/core/option_fields.h"
#include "attend/core/parallel.h"

namespace attend {

namespace {

constexpr std::int64_t kBlock = 128;  // states compared with the cache at once

void check_hidden(const Tensor& hidden, std::int64_t rows, std::int64_t width) {
  if (hidden.shape() != Shape{rows, width})
    throw ShapeError(
        fmt::format("[continuous_cache] expected hidden states {}, got {}", to_string({rows, width}), to_string(hidden.shape())));
}

// softmax(scale * scores), in place.
void to_weights(std::span<float> scores, float scale) {
  const float highest = *std::max_element(scores.begin(), scores.end());
  double total = 0;
  for (float& score : scores) total += score = std::exp(scale * (score - highest));
  for (float& score : scores) score = static_cast<float>(score / total);
}

// log((1 - weight) exp(log_probability) + weight * cached)
float mixture(float log_probability, double cached, float weight) {
  if (cached == 0) return log_probability + std::log1p(-weight);
  return static_cast<float>(std::log((1.0 - weight) * std::exp(static_cast<double>(log_probability)) + weight * cached));
}

}  // namespace

ContinuousCache::ContinuousCache(const ContinuousCacheOptions& options, std::int64_t width) : options_(options) {
  check_options(options);
  states_ = Tensor::empty({2 * std::int64_t{options.tokens} + kBlock, width});
}

void ContinuousCache::append(const Tensor& hidden, std::span<const std::int32_t> tokens) {
  if (size() + std::ssize(tokens) > states_.rows()) {
    const std::int64_t kept = std::min<std::int64_t>(size(), options_.tokens);
    states_.slice_rows(0, kept).copy_from(states_.slice_rows(size() - kept, size()).clone());
    tokens_.erase(tokens_.begin(), tokens_.end() - kept);
  }
  states_.slice_rows(size(), size() + std::ssize(tokens)).copy_from(hidden);
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
}

std::vector<float> ContinuousCache::read(const Tensor& hidden, std::span<const std::int32_t> targets,
                                         std::span<const float> log_probabilities) {
  check_hidden(hidden, std::ssize(targets), states_.cols());
  if (log_probabilities.size() != targets.size())
    throw ShapeError(fmt::format("[continuous_cache] expected a log-probability for each of {} targets, got {}", targets.size(),
                                 log_probabilities.size()));
  std::vector<float> result(targets.size());
  const float scale = options_.beta / std::sqrt(static_cast<float>(states_.cols()));
  for (std::int64_t begin = 0; begin < std::ssize(targets); begin += kBlock) {
    const std::int64_t end = std::min(std::ssize(targets), begin + kBlock);
    append(hidden.slice_rows(begin, end), targets.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
    // Row r of the block sees the `tokens` before it: of the rows first .. size() of the cache those from r - tokens to r.
    const std::int64_t before = size() - (end - begin), first = std::max<std::int64_t>(before - options_.tokens, 0);
    const Tensor scores = Tensor::empty({end - begin, size() - first});
    backend().linear(hidden.slice_rows(begin, end), states_.slice_rows(first, size()), {}, {}, scores);
    parallel_for(end - begin, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t r = from; r < to; ++r) {
        const std::int64_t seen_end = before + r, seen = std::max<std::int64_t>(seen_end - options_.tokens, 0);
        const auto n = static_cast<std::size_t>(begin + r);
        result[n] = log_probabilities[n];
        if (seen == seen_end) continue;
        const std::span<float> weights(scores.row(r) + (seen - first), static_cast<std::size_t>(seen_end - seen));
        to_weights(weights, scale);
        double cached = 0;
        for (std::int64_t i = seen; i < seen_end; ++i)
          if (tokens_[static_cast<std::size_t>(i)] == targets[n]) cached += weights[static_cast<std::size_t>(i - seen)];
        result[n] = mixture(log_probabilities[n], cached, options_.weight);
      }
    });
  }
  return result;
}

void ContinuousCache::mix(const Tensor& hidden, const Tensor& log_probabilities) const {
  check_hidden(hidden, 1, states_.cols());
  if (size() == 0) return;
  const std::int64_t first = std::max<std::int64_t>(size() - options_.tokens, 0);
  const Tensor scores = Tensor::empty({1, size() - first});
  backend().linear(hidden, states_.slice_rows(first, size()), {}, {}, scores);
  to_weights(scores.span(), options_.beta / std::sqrt(static_cast<float>(states_.cols())));
  std::map<std::int32_t, double> cached;
  for (std::int64_t i = first; i < size(); ++i) cached[tokens_[static_cast<std::size_t>(i)]] += scores.data()[i - first];
  auto next = cached.begin();
  float* const own = log_probabilities.row(0);
  const float rest = std::log1p(-options_.weight);
  for (std::int64_t v = 0; v < log_probabilities.cols(); ++v) {
    if (next == cached.end() || next->first != v) {
      own[v] += rest;
    } else {
      own[v] = mixture(own[v], next++->second, options_.weight);
    }
  }
}

ContinuousCache ContinuousCache::clone() const {
  ContinuousCache copy = *this;
  copy.states_ = states_.clone();
  return copy;
}

void ContinuousCache::remember(const Tensor& hidden, std::int32_t token) {
  check_hidden(hidden, 1, states_.cols());
  append(hidden, {&token, 1});
}

}  // namespace attend
