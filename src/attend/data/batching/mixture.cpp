#include "attend/data/batching/mixture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/random/large_shuffle.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {

namespace {

std::vector<double> weights_of(std::span<const std::int64_t> sizes, const MixtureOptions& options) {
  std::vector<double> weights(sizes.begin(), sizes.end());
  if (options.weights.empty()) return weights;
  if (options.weights.size() != sizes.size())
    throw OptionError<ConfigError>("{}: expected {}, one for each corpus, got {}",
                                   as_key("mix-weights"), counted(std::ssize(sizes), "weight"),
                                   options.weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    set_option({"mix-weights", "", &weights[i], above(0, 1e9)}, {&options.weights[i], 1},
               as_key("mix-weights"));
  return weights;
}

// Whole numbers in proportion to `shares`, with the sum `total`: the largest remainders are rounded
// up.
std::vector<std::int64_t> apportioned(std::span<const double> shares, std::int64_t total) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::int64_t> counts;
  std::vector<double> remainders;
  for (const double share : shares) {
    const double exact = share / sum * static_cast<double>(total);
    counts.push_back(static_cast<std::int64_t>(exact));
    remainders.push_back(exact - std::floor(exact));
  }
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  std::int64_t left = total - std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (std::size_t i = 0; left > 0; i = (i + 1) % order.size(), --left) ++counts[order[i]];
  return counts;
}

}  // namespace

Mixture::Mixture(std::vector<std::int64_t> sizes, const MixtureOptions& options, std::uint64_t seed)
    : sizes_(std::move(sizes)), seed_(seed) {
  check_options(options);
  if (sizes_.size() < 2)
    throw ConfigError(fmt::format("{}: expected several corpora to mix, got one",
                                  options.weights.empty() ? "mix-temperature" : "mix-weights"));
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if (sizes_[i] == 0)
      throw DataError(fmt::format("corpus {} of {}: it has nothing to mix", i + 1, sizes_.size()));
    begins_.push_back(total);
    total += sizes_[i];
  }
  std::vector<double> shares = weights_of(sizes_, options);
  // Relative to the largest: no power is beyond the range of numbers.
  const double largest = *std::max_element(shares.begin(), shares.end());
  for (double& share : shares) share = std::pow(share / largest, 1 / options.temperature);
  counts_ = apportioned(shares, total);
}

std::vector<std::int32_t> Mixture::samples(std::int64_t epoch) const {
  std::vector<std::int32_t> samples;
  samples.reserve(
      static_cast<std::size_t>(std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0})));
  for (std::size_t corpus = 0; corpus < sizes_.size(); ++corpus) {
    const std::int64_t size = sizes_[corpus];
    std::int64_t at = epoch * counts_[corpus];
    for (std::int64_t left = counts_[corpus]; left > 0;) {
      const std::int64_t begin = at % size, count = std::min(size - begin, left);
      append_pass(corpus, at / size, begin, count, samples);
      at += count;
      left -= count;
    }
  }
  return samples;
}

// Part of a pass. The order of a whole one makes no difference.
void Mixture::append_pass(std::size_t corpus, std::int64_t pass, std::int64_t begin,
                          std::int64_t count, std::vector<std::int32_t>& to) const {
  std::vector<std::int32_t> order(static_cast<std::size_t>(sizes_[corpus]));
  std::iota(order.begin(), order.end(), static_cast<std::int32_t>(begins_[corpus]));
  if (count < sizes_[corpus]) {
    Random random(RandomKey{seed_, stream_of(fmt::format("data.corpus.{}.pass.{}", corpus, pass))});
    shuffle_large(std::span(order), random);
  }
  to.insert(to.end(), order.begin() + begin, order.begin() + begin + count);
}

std::vector<std::string> Mixture::summary(std::span<const std::string> names,
                                          std::string_view unit) const {
  const auto total =
      static_cast<double>(std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0}));
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < names.size(); ++i)
    lines.push_back(fmt::format("{}: {:.1f} % of an epoch, {}, each {:.3g} times", names[i],
                                100 * static_cast<double>(counts_[i]) / total,
                                counted(counts_[i], unit),
                                static_cast<double>(counts_[i]) / static_cast<double>(sizes_[i])));
  return lines;
}

}  // namespace attend
