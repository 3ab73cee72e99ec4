#include "attend/nn/rotary_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "attend/error.h"

namespace attend {

namespace {

double scaled(double frequency, const RotaryOptions& o) {
  if (o.scaling == RotaryScaling::none) return frequency;
  const double stretched = frequency / o.factor;
  if (o.scaling == RotaryScaling::linear) return stretched;
  const double turns = o.original_length * frequency / (2 * std::numbers::pi);  // in the old length
  const double kept = std::clamp((turns - o.low_factor) / (o.high_factor - o.low_factor), 0.0, 1.0);
  return (1 - kept) * stretched + kept * frequency;
}

}  // namespace

RotaryEncoding::RotaryEncoding(std::int64_t width, const RotaryOptions& options) : width_(width) {
  if (width % 2 != 0)
    throw ConfigError(fmt::format("positions: rotary needs heads of an even width, got {}", width));
  if (options.scaling == RotaryScaling::llama3 && options.high_factor <= options.low_factor)
    throw ConfigError(
        fmt::format("rotary-high-factor: expected more than rotary-low-factor {}, got {}",
                    options.low_factor, options.high_factor));
  for (std::int64_t i = 0; i < width / 2; ++i)
    frequencies_.push_back(
        scaled(std::pow(options.theta, -2.0 * static_cast<double>(i) / static_cast<double>(width)),
               options));
}

Tensor RotaryEncoding::angles_for(std::int32_t last_position) const {
  const std::lock_guard lock(angles_->mutex);
  Tensor& table = angles_->table;
  if (table.defined() && table.dim(0) > last_position) return table;
  const auto length = static_cast<std::int64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(std::max(last_position + 1, 64))));
  const Tensor angles = Tensor::empty_on_host({length, width_});
  for (std::int64_t p = 0; p < length; ++p) {
    for (std::int64_t i = 0; i < width_ / 2; ++i) {
      const double angle = static_cast<double>(p) * frequencies_[static_cast<std::size_t>(i)];
      angles.row(p)[i] = static_cast<float>(std::cos(angle));
      angles.row(p)[width_ / 2 + i] = static_cast<float>(std::sin(angle));
    }
  }
  return table = angles.memory() == &current_memory() ? angles : angles.clone();
}

Variable RotaryEncoding::rotate(const Variable& x, std::int64_t columns,
                                const Ids& positions) const {
  const std::int32_t last =
      positions->empty() ? 0 : *std::max_element(positions->begin(), positions->end());
  return attend::rotate(x, {columns, angles_for(last), positions});
}

}  // namespace attend
