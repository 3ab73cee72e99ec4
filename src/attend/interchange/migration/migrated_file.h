// A configuration of another program as a recipe of attend: `attend migrate`.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/migration/migration.h"

namespace attend {

// automatic: by the name and the content of the file.
enum class MigrationSource { automatic, marian, fairseq, opennmt };
inline std::span<const std::string_view> enum_names(MigrationSource) {
  static constexpr std::array<std::string_view, 4> names{"auto", "marian", "fairseq", "opennmt"};
  return names;
}

struct MigratedFile {
  std::string_view program;             // Marian, fairseq or OpenNMT-py
  std::vector<Migration> migrations{};  // at least one: of training, and of decoding
};

// Reads the YAML of Marian and of OpenNMT-py, and shell scripts with calls of marian,
// marian-decoder, marian-server or fairseq-preprocess, -train, -generate and -interactive. `where`
// names the file.
//
// Throws DataError for text that is neither, ConfigError for values that an option does not take.
MigratedFile migrate(std::string_view text, const std::string& where, MigrationSource source);

// The recipes as text for people and for the option config. Only the first is TOML; a second one,
// for another command, is in comments.
std::string migrated_text(const MigratedFile& file, std::string_view where);

}  // namespace attend
