// Files of the source tree embedded in the binary. `attend_embed` of cmake/embed.cmake turns a
// folder into a function that returns them.
#pragma once

#include <string_view>

namespace attend {

struct EmbeddedFile {
  std::string_view name;  // without folder
  std::string_view content;
};

}  // namespace attend
