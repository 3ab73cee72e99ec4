// Whether a command prints for people or for programs: --format.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace attend {

enum class OutputFormat { text, json };
inline std::span<const std::string_view> enum_names(OutputFormat) {
  static constexpr std::array<std::string_view, 2> kNames{"text", "json"};
  return kNames;
}

}  // namespace attend
