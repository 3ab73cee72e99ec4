// TOML 1.0 files (toml.io) that configure a command. Keys are options. [sections] only structure
// the file; every key is unique without them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/core/options/option_fields.h"

namespace attend {

// Sets the options in the file and returns their names (in kebab-case). Strings and choices are
// TOML strings, booleans are booleans, integers are integers (unsigned ones may be strings, since
// they can exceed TOML's range), other numbers are floats or integers, and lists are arrays of
// strings or one string.
//
// Throws IoError, DataError (not text), or ConfigError "file:line: ..." for invalid TOML, an
// unknown key (naming the nearest known one), a value of the wrong type, and an option that is set
// twice.
std::vector<std::string> apply_config_file(const std::filesystem::path& path,
                                           std::span<const OptionField> fields);

}  // namespace attend
