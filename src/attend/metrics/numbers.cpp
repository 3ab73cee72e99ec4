#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

void require_as_many(std::size_t gold, std::size_t predicted) {
  if (gold != predicted)
    throw ConfigError(
        fmt::format("expected as many numbers on both sides, got {} and {}", gold, predicted));
}

double mean_of(std::span<const double> numbers) {
  return numbers.empty() ? 0
                         : std::accumulate(numbers.begin(), numbers.end(), 0.0) /
                               static_cast<double>(numbers.size());
}

// From 1; equal numbers share the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && numbers[order[end]] == numbers[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i)
      ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return ranks;
}

}  // namespace

double pearson_correlation(std::span<const double> a, std::span<const double> b) {
  require_as_many(a.size(), b.size());
  const double mean_a = mean_of(a), mean_b = mean_of(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? std::clamp(ab / std::sqrt(aa) / std::sqrt(bb), -1.0, 1.0) : 0;
}

double spearman_correlation(std::span<const double> a, std::span<const double> b) {
  require_as_many(a.size(), b.size());
  return pearson_correlation(ranks_of(a), ranks_of(b));
}

}  // namespace attend
