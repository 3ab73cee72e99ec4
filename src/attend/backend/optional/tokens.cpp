#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

#include "attend/backend/ids_span.h"
#include "attend/backend/optional_kernels.h"

namespace attend {

namespace {

// The candidate columns, which are possible: most likely first if truncated by top-k or top-p,
// otherwise in order.
std::vector<std::int32_t> candidates(const float* log_probabilities, std::int64_t columns,
                                     const TokenFilter& filter) {
  std::vector<std::int32_t> order;
  for (std::int32_t column = 0; column < columns; ++column)
    if (log_probabilities[column] != -INFINITY) order.push_back(column);
  const bool some = filter.top_k > 0 && filter.top_k < std::ssize(order);
  if (!some && filter.top_p >= 1.0f) return order;
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return log_probabilities[a] > log_probabilities[b];
  });
  if (some) order.resize(static_cast<std::size_t>(filter.top_k));
  return order;
}

std::int32_t drawn(const float* log_probabilities, std::int64_t columns, const TokenFilter& filter,
                   float uniform) {
  const float highest = *std::max_element(log_probabilities, log_probabilities + columns);
  if (!std::isfinite(highest)) return -1;
  const std::vector<std::int32_t> order = candidates(log_probabilities, columns, filter);
  std::vector<double> weights;
  for (const std::int32_t column : order)
    weights.push_back(std::exp((log_probabilities[column] - highest) / filter.temperature));
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (filter.top_p < 1.0f) {
    const double enough = filter.top_p * total;
    std::size_t count = 1;
    for (total = weights[0]; count < weights.size() && total < enough; ++count)
      total += weights[count];
    weights.resize(count);
  }
  double remaining = uniform * total;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    remaining -= weights[i];
    if (remaining < 0) return order[i];
  }
  return order[weights.size() - 1];
}

// log((1 - weight) p + weight * share), also for p that underflows.
float mixed(float log_probability, double share, float weight) {
  const double own = double{log_probability} + std::log1p(-double{weight});
  return static_cast<float>(share == 0.0 ? own : std::log(std::exp(own) + weight * share));
}

}  // namespace

void OptionalKernels::sample(const Tensor& log_probabilities, const TokenFilter& filter,
                             const Tensor& uniform, const Tensor& columns) {
  assert(uniform.size() == log_probabilities.rows() && columns.size() == log_probabilities.rows());
  for (std::int64_t r = 0; r < log_probabilities.rows(); ++r)
    columns.data<std::int32_t>()[r] =
        drawn(log_probabilities.row(r), log_probabilities.cols(), filter, uniform.data()[r]);
}

void OptionalKernels::mix_with_cache(const Tensor& scores, const TokenCache& cache,
                                     const Ids& targets, const Tensor& log_probabilities) {
  assert(scores.cols() == cache.tokens.size());
  const auto all_tokens = device_span(cache.tokens), wanted = device_span(targets);
  for (std::int64_t r = 0; r < scores.rows(); ++r) {
    const std::int64_t end = cache.seen + r, begin = std::max<std::int64_t>(end - cache.window, 0);
    if (begin == end) continue;
    const float* row = scores.row(r);
    const double highest = *std::max_element(row + begin, row + end);
    std::vector<double> weights;
    for (std::int64_t i = begin; i < end; ++i)
      weights.push_back(std::exp(cache.scale * (row[i] - highest)));
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    const auto mix = [&](std::int32_t token, float& log_probability) {
      double share = 0.0;
      for (std::int64_t i = begin; i < end; ++i) {
        if (all_tokens[static_cast<std::size_t>(i)] == token)
          share += weights[static_cast<std::size_t>(i - begin)] / total;
      }
      log_probability = mixed(log_probability, share, cache.weight);
    };
    if (!wanted.empty()) {
      mix(wanted[static_cast<std::size_t>(r)], log_probabilities.data()[r]);
      continue;
    }
    for (std::int64_t v = 0; v < log_probabilities.cols(); ++v)
      mix(static_cast<std::int32_t>(v), log_probabilities.row(r)[v]);
  }
}

}  // namespace attend
