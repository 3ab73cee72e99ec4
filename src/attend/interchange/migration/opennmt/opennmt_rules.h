// The tables of OpenNMT-py's options, by topic.
#pragma once

#include <span>

#include "attend/interchange/migration/rules.h"

namespace attend {

std::span<const MigrationRule> opennmt_model_rules();
std::span<const MigrationRule> opennmt_training_rules();
std::span<const MigrationRule> opennmt_decoding_rules();

}  // namespace attend
