// The precision of GEMM operands.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace attend {

// The type to which both operands are rounded before multiplication. Everything else is f32, sums
// included (mixed precision, Micikevicius et al. 2018). bf16 has the range of f32, so losses need
// no scaling.
enum class Precision { f32, bf16 };
inline std::span<const std::string_view> enum_names(Precision) {
  static constexpr std::array<std::string_view, 2> kNames{"f32", "bf16"};
  return kNames;
}

}  // namespace attend
