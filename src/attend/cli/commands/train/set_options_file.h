// The options of a command that were set, in a file of its folder, so that it can be resumed.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "attend/cli/binding/options_binding.h"

namespace attend {

class SetOptionsFile {
 public:
  SetOptionsFile(const std::filesystem::path& folder, const std::string& name)
      : path_(folder / name) {}

  bool exists() const {
    std::error_code ignored;
    return std::filesystem::exists(path_, ignored);
  }
  // Takes what it has, unless --config was given. Throws like OptionBinding::add_defaults_from().
  void read(OptionBinding& binding) const;
  // Creates the folder, too. Teachers count as set: they may be arguments. Throws IoError.
  void write(const OptionBinding& binding) const;

 private:
  std::filesystem::path path_;
};

}  // namespace attend
