#include "attend/nn/rotary_encoding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
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

double plain_frequency(std::int64_t pair, std::int64_t width, const RotaryOptions& o) {
  return std::pow(o.theta, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
}

double frequency_of_pair(std::int64_t pair, std::int64_t width, const RotaryOptions& o) {
  const double frequency = plain_frequency(pair, width, o);
  if (o.scaling == RotaryScaling::none) return frequency;
  const double stretched = frequency / o.factor;
  if (o.scaling == RotaryScaling::linear) return stretched;
  const double kept = o.scaling == RotaryScaling::llama3 ? kept_by_llama3(frequency, o)
                                                         : kept_by_yarn(pair, width, o);
  return (1 - kept) * stretched + kept * frequency;
}

constexpr double kLeastFactor = 0.001, kMostFactor = 1e6;

// One for each pair of `width` columns, divided by the factors of an option.
std::vector<double> divided_frequencies(std::int64_t width, const std::string& list,
                                        std::string_view option, const RotaryOptions& o) {
  std::vector<double> frequencies = rotary_factors(list, option);
  if (list.empty()) frequencies.assign(static_cast<std::size_t>(width / 2), 1.0);
  if (2 * std::ssize(frequencies) != width)
    throw OptionError<ConfigError>(
        "{}: expected {} numbers, one for each pair of {} columns, got "
        "{}",
        as_key(option), width / 2, width, frequencies.size());
  for (std::int64_t i = 0; i < std::ssize(frequencies); ++i) {
    double& frequency = frequencies[static_cast<std::size_t>(i)];
    frequency = plain_frequency(i, width, o) / frequency;
  }
  return frequencies;
}

}  // namespace

double rotary_magnitude(const RotaryOptions& o) {
  if (o.scaling == RotaryScaling::yarn) return 0.1 * std::log(o.factor) + 1;
  if (o.scaling != RotaryScaling::longrope || o.factor <= 1) return 1;
  return std::sqrt(1 + std::log(o.factor) / std::log(static_cast<double>(o.original_length)));
}

std::vector<double> rotary_factors(const std::string& list, std::string_view option) {
  std::vector<double> factors;
  for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    double factor = 0;
    const auto [last, error] = std::from_chars(list.data() + begin, list.data() + end, factor);
    if (error != std::errc() || last != list.data() + end || !(factor >= kLeastFactor) ||
        !(factor <= kMostFactor))
      throw OptionError<ConfigError>("{}: expected numbers from {} to {} such as 1,1.5,2, got {}",
                                     as_key(option), kLeastFactor, kMostFactor, quote(list));
    factors.push_back(factor);
    begin = end + 1;
  }
  return factors;
}

std::string rotary_factors_text(std::span<const double> factors) {
  return fmt::format("{}", fmt::join(factors, ","));
}

RotaryEncoding::RotaryEncoding(std::int64_t width, const RotaryOptions& options)
    : width_(width), magnitude_(rotary_magnitude(options)) {
  if (width % 2 != 0)
    throw ConfigError(fmt::format("positions: rotary needs heads of an even width, got {}", width));
  const std::int64_t rotated = options.width > 0 ? options.width : width;
  if (rotated % 2 != 0 || rotated > width)
    throw OptionError<ConfigError>(
        "{}: expected an even number up to the width of a head, {}, got "
        "{}",
        as_key("rotary-width"), width, rotated);
  const bool has_transition =
      options.scaling == RotaryScaling::llama3 || options.scaling == RotaryScaling::yarn;
  if (has_transition && options.high_factor <= options.low_factor)
    throw OptionError<ConfigError>("{}: expected more than {} {}, got {}",
                                   as_key("rotary-high-factor"), as_key("rotary-low-factor"),
                                   options.low_factor, options.high_factor);
  if (options.scaling == RotaryScaling::yarn && options.theta <= 1)
    throw OptionError<ConfigError>("{}: yarn scaling needs more than 1", as_key("rotary-theta"));
  if (options.scaling == RotaryScaling::longrope) {
    if (options.original_length < 2)
      throw OptionError<ConfigError>("{}: longrope scaling needs more than 1",
                                     as_key("rotary-original-length"));
    frequencies_ =
        divided_frequencies(rotated, options.short_factors, "rotary-short-factors", options);
    long_frequencies_ =
        divided_frequencies(rotated, options.long_factors, "rotary-long-factors", options);
    if (frequencies_ != long_frequencies_) alike_ = options.original_length;
    return;
  }
  for (std::int64_t i = 0; i < rotated / 2; ++i)
    frequencies_.push_back(frequency_of_pair(i, rotated, options));
}

Tensor RotaryEncoding::angles(std::int64_t length) const {
  const Tensor angles = Tensor::empty_on_host({length, width_});
  for (std::int64_t row = 0; row < length; ++row) {
    const bool is_long = alike_ > 0 && row >= alike_;
    const std::vector<double>& frequencies = is_long ? long_frequencies_ : frequencies_;
    const auto position = static_cast<double>(is_long ? row - alike_ : row);
    for (std::int64_t i = 0; i < width_ / 2; ++i) {
      const bool turns = i < std::ssize(frequencies);
      const double angle = turns ? position * frequencies[static_cast<std::size_t>(i)] : 0;
      const double magnitude = turns ? magnitude_ : 1;
      angles.row(row)[i] = static_cast<float>(magnitude * std::cos(angle));
      angles.row(row)[width_ / 2 + i] = static_cast<float>(magnitude * std::sin(angle));
    }
  }
  return angles;
}

Ids RotaryEncoding::rows_of(const Ids& positions) const {
  const auto begins = [&](std::int64_t i) { return positions[i] == 0; };
  if (alike_ == 0) return positions;
  std::vector<std::int32_t> rows(positions->begin(), positions->end());
  for (std::int64_t begin = 0; begin < positions.size();) {
    std::int64_t end = begin + 1;
    while (end < positions.size() && !begins(end)) ++end;
    const auto first = rows.begin() + begin, last = rows.begin() + end;
    if (*std::max_element(first, last) >= alike_)
      for (auto row = first; row != last; ++row) *row += static_cast<std::int32_t>(alike_);
    begin = end;
  }
  return rows;
}

Variable RotaryEncoding::rotate(const Variable& x, std::int64_t columns,
                                const Ids& positions) const {
  const Ids rows = rows_of(positions);
  const std::int32_t last = rows->empty() ? 0 : *std::max_element(rows->begin(), rows->end());
  const Tensor table = angles_->at_least(last + std::int64_t{1},
                                         [this](std::int64_t length) { return angles(length); });
  return attend::rotate(x, {columns, table, rows});
}

}  // namespace attend
