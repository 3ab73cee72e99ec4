// The option that says how the vectors of tokens become the vector of their text.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/backend/backend.h"

namespace attend {

inline std::span<const std::string_view> enum_names(Pooling) {
  static constexpr std::array<std::string_view, 6> names{"max",  "mean",      "first",
                                                         "last", "mean_sqrt", "weighted_mean"};
  return names;
}

inline constexpr std::string_view kPoolingHelp =
    "how token vectors become one: max, mean, first (of a bos token), last, mean_sqrt (sum / root "
    "of "
    "length) or weighted_mean (later ones count more)";

}  // namespace attend
