#include "attend/decode/scorers/continuous_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

void check_hidden(const Tensor& hidden, std::int64_t rows, std::int64_t width) {
  if (hidden.shape() != Shape{rows, width})
    throw ShapeError(fmt::format("[continuous_cache] expected hidden states {}, got {}",
                                 to_string({rows, width}), to_string(hidden.shape())));
}

}  // namespace

ContinuousCache::ContinuousCache(const ContinuousCacheOptions& options, std::int64_t width)
    : options_(options) {
  check_options(options);
  states_ = Tensor::empty(
      {2 * std::int64_t{options.tokens} + backend()->block_sizes().product_rows, width});
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

std::vector<float> ContinuousCache::read(const Tensor& hidden,
                                         std::span<const std::int32_t> targets,
                                         std::span<const float> log_probabilities) {
  check_hidden(hidden, std::ssize(targets), states_.cols());
  if (log_probabilities.size() != targets.size())
    throw ShapeError(
        fmt::format("[continuous_cache] expected a log-probability for each of {} targets, got {}",
                    targets.size(), log_probabilities.size()));
  const std::int64_t block = states_.rows() - 2 * std::int64_t{options_.tokens};
  std::vector<float> result;
  for (std::int64_t begin = 0; begin < std::ssize(targets); begin += block) {
    const std::int64_t count = std::min<std::int64_t>(std::ssize(targets) - begin, block);
    const auto first = static_cast<std::size_t>(begin), rows = static_cast<std::size_t>(count);
    const Tensor states = hidden.slice_rows(begin, begin + count);
    append(states, targets.subspan(first, rows));
    const Tensor mixed = Tensor::from(log_probabilities.subspan(first, rows), {count});
    mix(states, size() - count,
        std::vector(targets.begin() + begin, targets.begin() + begin + count), mixed);
    const std::vector<float> part = mixed.to_vector();
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

void ContinuousCache::mix(const Tensor& hidden, const Tensor& log_probabilities) const {
  check_hidden(hidden, 1, states_.cols());
  mix(hidden, size(), {}, log_probabilities);
}

// Row r sees the last `tokens` tokens before seen + r; those after `seen` are rows of this call.
void ContinuousCache::mix(const Tensor& hidden, std::int64_t seen, const Ids& targets,
                          const Tensor& log_probabilities) const {
  if (size() == 0) return;
  const std::int64_t first = std::max<std::int64_t>(seen - options_.tokens, 0);
  const Tensor scores = Tensor::empty({hidden.rows(), size() - first});
  backend()->linear(hidden, states_.slice_rows(first, size()), {}, {}, scores);
  const TokenCache cache{.tokens = std::vector(tokens_.begin() + first, tokens_.end()),
                         .seen = seen - first,
                         .window = options_.tokens,
                         .scale = options_.beta / std::sqrt(static_cast<float>(states_.cols())),
                         .weight = options_.weight};
  backend()->mix_with_cache(scores, cache, targets, log_probabilities);
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
