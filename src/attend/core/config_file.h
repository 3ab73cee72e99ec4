// The TOML files (toml.io, version 1.0) that configure a command: keys are options, and [sections],
// which order a file for its reader, mean nothing: every key is unique without them.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/core/option_fields.h"

namespace attend {

// Sets the options that the file names and returns their names (in kebab-case). A text or a choice
// is a TOML string, true and false are booleans, a whole number is an integer (one without a sign,
// as it may be larger than those of TOML, may be a string), any other number a float or an integer,
// a list an array of strings or a single one.
//
// Throws IoError, DataError (no text), or ConfigError "file:line: ..." for what is not TOML, for an
// unknown key, naming the nearest known one, for a value of a wrong type, and for an option that is
// set twice.
std::vector<std::string> apply_config_file(const std::filesystem::path& path,
                                           std::span<const OptionField> fields);

}  // namespace attend
