#include "attend/core/files/code_folder.h"

#include <dlfcn.h>

#include <string_view>
#include <system_error>

namespace attend {

std::filesystem::path code_folder() {
  Dl_info self{};
  static const char here = 0;
  // A program that the shell found by its name is not a path.
  const bool is_path = dladdr(&here, &self) != 0 && self.dli_fname != nullptr &&
                       std::string_view(self.dli_fname).find('/') != std::string_view::npos;
  std::error_code failure;
  return std::filesystem::canonical(is_path ? self.dli_fname : "/proc/self/exe", failure)
      .parent_path();
}

}  // namespace attend
