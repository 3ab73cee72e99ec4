#include "attend/train/readable.h"

#include <fmt/format.h>

#include <cmath>

namespace attend {

std::string readable_quantity(double quantity) {
  if (!std::isfinite(quantity)) return fmt::format("{}", quantity);
  static constexpr const char* kSuffixes[] = {"", "k", "M", "G", "T"};
  std::size_t suffix = 0;
  while (std::abs(quantity) >= 999.5 && suffix + 1 < std::size(kSuffixes)) {
    quantity /= 1000;
    ++suffix;
  }
  const double size = std::abs(quantity);
  const int decimals = suffix == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", quantity, decimals, kSuffixes[suffix]);
}

std::string readable_duration(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "-:--";
  const auto total = static_cast<std::int64_t>(seconds + 0.5);
  const std::int64_t days = total / 86400, hours = total / 3600 % 24, minutes = total / 60 % 60;
  if (days > 0) return fmt::format("{}d {:02}h", days, hours);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
}

std::string readable_measure(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (size >= 1e6) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value,
                     size >= 1000  ? 0
                     : size >= 100 ? 1
                     : size >= 10  ? 2
                     : size >= 1   ? 3
                                   : 4);
}

std::string readable_rate(double learning_rate) { return fmt::format("{:.2e}", learning_rate); }

}  // namespace attend
