#include "attend/tasks/language/output_sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "attend/core/options/option_error.h"
#include "attend/core/random/random.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr double kExponent = 0.75;
constexpr int kBisections = 100;  // more than a double has bits

double expected_size(const std::vector<double>& weights, double factor) {
  return std::accumulate(weights.begin(), weights.end(), 0.0, [factor](double sum, double w) {
    return sum + std::min(1.0, factor * w);
  });
}

}  // namespace

OutputSampler::OutputSampler(std::span<const std::int32_t> stream, std::int32_t vocab_size,
                             std::int64_t expected, std::uint64_t seed)
    : seed_(seed) {
  if (expected < 1 || expected > vocab_size)
    throw OptionError<ConfigError>("{}: expected 1 to {}, the size of the vocabulary, got {}",
                                   as_key("output-sample"), vocab_size, expected);
  std::vector<double> weights(static_cast<std::size_t>(vocab_size), 0.0);
  for (const std::int32_t id : stream) {
    if (id < 0 || id >= vocab_size)
      throw ShapeError(
          fmt::format("[output_sampler] expected tokens 0..{}, got {}", vocab_size - 1, id));
    ++weights[static_cast<std::size_t>(id)];
  }
  for (double& weight : weights) weight = std::pow(std::max(weight, 1.0), kExponent);
  double low = 0.0, high = 1.0;  // a weight is at least 1, so a factor of 1 includes all
  for (int i = 0; i < kBisections; ++i) {
    const double middle = 0.5 * (low + high);
    (expected_size(weights, middle) < static_cast<double>(expected) ? low : high) = middle;
  }
  for (const double weight : weights)
    probability_.push_back(static_cast<float>(std::min(1.0, high * weight)));
}

ClassSample OutputSampler::draw(std::int64_t epoch, std::int64_t batch) const {
  Random random(RandomKey{seed_, stream_of(fmt::format("output_sample.{}.{}", epoch, batch))});
  std::vector<std::int32_t> classes;
  ClassSample sample;
  for (std::size_t v = 0; v < probability_.size(); ++v) {
    const float p = probability_[v];
    if (random.uniform() >= p) continue;
    classes.push_back(static_cast<std::int32_t>(v));
    sample.offset.push_back(p == 1.0f ? 0.0f : -std::log(p));
  }
  sample.classes = std::move(classes);
  return sample;
}

std::int64_t OutputSampler::always() const {
  return std::count(probability_.begin(), probability_.end(), 1.0f);
}

}  // namespace attend
