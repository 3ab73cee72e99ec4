// The manual page attend(1).
#pragma once

#include <string>

#include "attend/cli/reference/command_list.h"

namespace attend {

// In the language of man(7): every command with its arguments and options. A function of the
// program alone, without a date.
std::string man_page(const ListedCommand& program);

}  // namespace attend
