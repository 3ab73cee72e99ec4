// Checks of options that many structs share.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "attend/core/error.h"

namespace attend {

// Throws ConfigError "<name>: expected at least <least>, got <value>"; NaN is too small.
template <class T, class Least>
void require_at_least(std::string_view name, T value, Least least) {
  if (!(value >= static_cast<T>(least))) throw ConfigError(fmt::format("{}: expected at least {}, got {}", name, least, value));
}

// Throws ConfigError "<name>: expected a number in [0, 1), got <value>".
template <class T>
void require_fraction(std::string_view name, T value) {
  if (!(value >= T{0} && value < T{1})) throw ConfigError(fmt::format("{}: expected a number in [0, 1), got {}", name, value));
}

}  // namespace attend
