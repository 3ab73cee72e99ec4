// The TOML files that configure a command: lines "key = value", comments, and [sections], which order a file for its reader but mean
// nothing: every key is unique without them. Values are texts in quotes, numbers, true and false, and lists of these, over several lines if
// need be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/core/option_fields.h"

namespace attend {

struct ConfigEntry {
  std::string key;                  // as written
  std::vector<std::string> values;  // without quotes; one unless it is a list
  std::int64_t line = 0;            // from 1
};

// Throws IoError, DataError (no text), or ConfigError "file:line: ..." for a line that is neither of the above and for a repeated key.
std::vector<ConfigEntry> read_config_file(const std::filesystem::path& path);

// Sets the options that the file names. Throws ConfigError "file:line: ..." besides for an unknown key, naming the nearest known one, and
// for a value of a wrong type. Returns the names (in kebab-case) of the options it set.
std::vector<std::string> apply_config_file(const std::filesystem::path& path, std::span<const OptionField> fields);

}  // namespace attend
