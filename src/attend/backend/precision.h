// How exact the factors of a matrix product are.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace attend {

// What the elements of both factors are rounded to before they are multiplied. Everything else is
// f32, the sums too (Micikevicius et al. 2018, mixed precision; bf16 has the range of f32, so a
// loss needs no scaling).
enum class Precision { f32, bf16 };
inline std::span<const std::string_view> enum_names(Precision) {
  static constexpr std::array<std::string_view, 2> kNames{"f32", "bf16"};
  return kNames;
}

}  // namespace attend
