// Scripts that make a shell complete the commands and options of the program.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "attend/cli/reference/command_list.h"

namespace attend {

enum class Shell { bash, zsh, fish };
inline std::span<const std::string_view> enum_names(Shell) {
  static constexpr std::array<std::string_view, 3> kNames{"bash", "zsh", "fish"};
  return kNames;
}

std::string completion_script(const ListedCommand& program, Shell shell);

}  // namespace attend
