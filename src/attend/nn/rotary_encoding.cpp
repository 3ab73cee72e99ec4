#include "attend/nn/rotary_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

namespace {

// How much of the frequency of a pair is kept, 0 to 1; the rest is stretched.
double kept_by_llama3(double frequency, const RotaryOptions& o) {
  const double turns = o.original_length * frequency / (2 * std::numbers::pi);  // in the old length
  return std::clamp((turns - o.low_factor) / (o.high_factor - o.low_factor), 0.0, 1.0);
}

// The same falling from 1 to 0 between two pairs, those that turn high-factor and low-factor times
// in the old length.
double kept_by_yarn(std::int64_t pair, std::int64_t width, const RotaryOptions& o) {
  const auto pair_with = [&](double turns) {
    return static_cast<double>(width) *
           std::log(o.original_length / (turns * 2 * std::numbers::pi)) / (2 * std::log(o.theta));
  };
  const double first = std::max(std::floor(pair_with(o.high_factor)), 0.0),
               last = std::min(std::ceil(pair_with(o.low_factor)), static_cast<double>(width - 1)),
               distance = first == last ? 0.001 : last - first;
  return 1 - std::clamp((static_cast<double>(pair) - first) / distance, 0.0, 1.0);
}

double frequency_of_pair(std::int64_t pair, std::int64_t width, const RotaryOptions& o) {
  const double frequency =
      std::pow(o.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
  if (o.scaling == RotaryScaling::none) return frequency;
  const double stretched = frequency / o.factor;
  if (o.scaling == RotaryScaling::linear) return stretched;
  const double kept = o.scaling == RotaryScaling::llama3 ? kept_by_llama3(frequency, o)
                                                         : kept_by_yarn(pair, width, o);
  return (1 - kept) * stretched + kept * frequency;
}

}  // namespace

double yarn_magnitude(double factor) { return 0.1 * std::log(factor) + 1; }

RotaryEncoding::RotaryEncoding(std::int64_t width, const RotaryOptions& options)
    : width_(width),
      magnitude_(options.scaling == RotaryScaling::yarn ? yarn_magnitude(options.factor) : 1.0) {
  if (width % 2 != 0)
    throw ConfigError(fmt::format("positions: rotary needs heads of an even width, got {}", width));
  const bool has_transition =
      options.scaling == RotaryScaling::llama3 || options.scaling == RotaryScaling::yarn;
  if (has_transition && options.high_factor <= options.low_factor)
    throw OptionError<ConfigError>("{}: expected more than {} {}, got {}",
                                   as_key("rotary-high-factor"), as_key("rotary-low-factor"),
                                   options.low_factor, options.high_factor);
  if (options.scaling == RotaryScaling::yarn && options.theta <= 1)
    throw OptionError<ConfigError>("{}: yarn scaling needs more than 1", as_key("rotary-theta"));
  for (std::int64_t i = 0; i < width / 2; ++i)
    frequencies_.push_back(frequency_of_pair(i, width, options));
}

Tensor RotaryEncoding::angles(std::int64_t length) const {
  const Tensor angles = Tensor::empty_on_host({length, width_});
  for (std::int64_t p = 0; p < length; ++p) {
    for (std::int64_t i = 0; i < width_ / 2; ++i) {
      const double angle = static_cast<double>(p) * frequencies_[static_cast<std::size_t>(i)];
      angles.row(p)[i] = static_cast<float>(magnitude_ * std::cos(angle));
      angles.row(p)[width_ / 2 + i] = static_cast<float>(magnitude_ * std::sin(angle));
    }
  }
  return angles;
}

Variable RotaryEncoding::rotate(const Variable& x, std::int64_t columns,
                                const Ids& positions) const {
  const std::int32_t last =
      positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
  const Tensor table = angles_->at_least(last + std::int64_t{1},
                                         [this](std::int64_t length) { return angles(length); });
  return attend::rotate(x, {columns, table, positions});
}

}  // namespace attend
