// Configurations of Marian as recipes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/interchange/migration/migration.h"
#include "attend/interchange/migration/rules.h"

namespace attend {

// Options of `marian`, for attend train translation, or of `marian-decoder` and `marian-server`,
// for attend translate. Throws ConfigError for values that no option takes.
Migration migrate_marian_training(std::vector<ForeignOption> options, OptionStyle style,
                                  const std::string& where);
Migration migrate_marian_decoding(std::vector<ForeignOption> options, OptionStyle style,
                                  const std::string& where);

// All options with a rule.
MigrationTables marian_training_tables();
MigrationTables marian_decoding_tables();

// Names of one letter, with their options.
std::span<const std::pair<char, std::string_view>> marian_training_letters();
std::span<const std::pair<char, std::string_view>> marian_decoding_letters();

}  // namespace attend
