// Configurations of OpenNMT-py as recipes.
#pragma once

#include <string>
#include <vector>

#include "attend/interchange/migration/migration.h"
#include "attend/interchange/migration/rules.h"

namespace attend {

// Options of onmt_train, for attend train translation, or of onmt_translate, for attend translate.
// Names within others are joined by dots: data.corpus_1.path_src.
Migration migrate_opennmt_training(std::vector<ForeignOption> options, const std::string& where);
Migration migrate_opennmt_decoding(std::vector<ForeignOption> options, const std::string& where);

// All options with a rule.
MigrationTables opennmt_training_tables();
MigrationTables opennmt_decoding_tables();

}  // namespace attend
