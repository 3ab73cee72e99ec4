#include "attend/plot/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace attend {

namespace {

constexpr double kMostTicks = 8;

// 1, 2 or 5 times a power of ten, giving at most kMostTicks.
double round_step(double range) {
  const double rough = range / kMostTicks;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

std::string tick_label(double value) {
  if (std::fabs(value) < 1e-12) return "0";
  if (std::fabs(value) >= 0.001 && std::fabs(value) < 1e6) return fmt::format("{:.6g}", value);
  const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
  return fmt::format("{:.3g}e{}", value / std::pow(10.0, exponent), exponent);
}

}  // namespace

AxisTicks::AxisTicks(AxisScale scale, const std::vector<double>& values, bool from_zero)
    : scale_(scale) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double value : values) {
    if (!shows(value)) continue;
    low = std::min(low, transformed(value));
    high = std::max(high, transformed(value));
  }
  if (!(low <= high)) return;
  if (from_zero && scale == AxisScale::linear) low = std::min(low, 0.0), high = std::max(high, 0.0);
  if (high - low < 1e-12) low -= 0.5, high += 0.5;
  if (scale == AxisScale::linear) {
    const double step = round_step(high - low);
    low_ = std::floor(low / step + 1e-9) * step;
    high_ = std::ceil(high / step - 1e-9) * step;
  } else {
    const double margin = 0.03 * (high - low);
    low_ = low - margin;
    high_ = high + margin;
  }
}

bool AxisTicks::shows(double value) const {
  return std::isfinite(value) && (scale_ == AxisScale::linear || value > 0);
}

double AxisTicks::transformed(double value) const {
  if (scale_ == AxisScale::log2) return std::log2(value);
  return scale_ == AxisScale::log10 ? std::log10(value) : value;
}

double AxisTicks::untransformed(double value) const {
  if (scale_ == AxisScale::log2) return std::exp2(value);
  return scale_ == AxisScale::log10 ? std::pow(10.0, value) : value;
}

double AxisTicks::place(double value) const { return (transformed(value) - low_) / (high_ - low_); }

std::vector<double> AxisTicks::tick_values() const {
  std::vector<double> values;
  if (scale_ == AxisScale::linear) {
    const double step = round_step(high_ - low_);
    for (double tick = std::ceil(low_ / step - 1e-9) * step; tick <= high_ + 1e-9 * step;
         tick += step)
      values.push_back(tick);
    return values;
  }
  // Every n-th power of ten; on an axis of less than two decades also its 2- and 5-fold.
  const double every = std::max(1.0, std::ceil((high_ - low_) / kMostTicks));
  const bool between = scale_ == AxisScale::log10 && high_ - low_ < 2;
  for (double power = std::floor(low_ / every) * every; power <= high_; power += every) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * untransformed(power);
      if (factor > 1 && !between) continue;
      if (transformed(value) >= low_ - 1e-9 && transformed(value) <= high_ + 1e-9)
        values.push_back(value);
    }
  }
  return values;
}

std::vector<AxisTicks::Tick> AxisTicks::ticks() const {
  std::vector<Tick> ticks;
  for (const double value : tick_values()) ticks.push_back({value, tick_label(value)});
  return ticks;
}

}  // namespace attend
