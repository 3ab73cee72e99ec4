// Command lines of fairseq as recipes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/interchange/migration/migration.h"
#include "attend/interchange/migration/rules.h"

namespace attend {

// Options of fairseq-preprocess and fairseq-train, for attend train translation, or attend train lm
// for a language model. `trains`: whether there is a call of fairseq-train, whose defaults count.
Migration migrate_fairseq_training(std::vector<ForeignOption> options, bool trains,
                                   const std::string& where);
// Options of fairseq-generate or fairseq-interactive, for attend translate.
Migration migrate_fairseq_decoding(std::vector<ForeignOption> options, const std::string& where);

// All options with a rule.
MigrationTables fairseq_training_tables();
MigrationTables fairseq_decoding_tables();

// Names of one letter, with their options.
std::span<const std::pair<char, std::string_view>> fairseq_letters();

}  // namespace attend
