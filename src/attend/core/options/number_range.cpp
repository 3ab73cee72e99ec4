#include "attend/core/options/number_range.h"

#include <cmath>
#include <cstdint>

namespace attend {

namespace {

// 1000000, not 1e+06, which is rejected when typed as a whole number.
std::string bound_text(double bound) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  return std::trunc(bound) == bound && std::abs(bound) <= kExact
             ? fmt::format("{}", static_cast<std::int64_t>(bound))
             : fmt::format("{}", bound);
}

}  // namespace

std::string range_text(const NumberRange& range) {
  const std::string least = bound_text(range.least), most = bound_text(range.most);
  if (range.least_excluded)
    return fmt::format("above {} {} {}", least, range.most_excluded ? "and below" : "up to", most);
  return fmt::format("from {} to {}{}", least, range.most_excluded ? "below " : "", most);
}

std::string expected_number(const NumberRange& range, bool whole) {
  const std::string kind = whole ? "a whole number" : "a number";
  return range.is_open() ? kind + " of 64 bits" : kind + " " + range_text(range);
}

}  // namespace attend
