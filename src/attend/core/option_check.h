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

}  // namespace attend
