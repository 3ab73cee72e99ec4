// The tables of Marian's options, by topic.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "attend/interchange/migration/rules.h"

namespace attend {

std::span<const MigrationRule> marian_model_rules();
std::span<const MigrationRule> marian_text_rules();
std::span<const MigrationRule> marian_training_rules();
std::span<const MigrationRule> marian_run_rules();
// What all programs of Marian take.
std::span<const MigrationRule> marian_common_rules();
std::span<const MigrationRule> marian_decoding_rules();

// The options that a task of Marian sets, such as transformer-base; none for an unknown task. The
// first value of a name counts.
std::vector<PresetValue> marian_task_presets(std::string_view task);

// A number with a unit: "16000", "100Ku" updates, "2Gt" target labels, "10e" epochs.
struct MarianPeriod {
  std::int64_t count = 0;
  char unit = 'u';
};
// Throws ConfigError for other text in the value of this option.
MarianPeriod marian_period(const Migration& m, const ForeignOption& option, std::string value);

// A rule: cpu-threads as threads.
void marian_threads(Migration& m, const ForeignOption& option, std::string_view text);

// The files of an option that names a source and a target; false if it does not name two.
bool marian_names_pair(const Migration& m, std::string_view name);

}  // namespace attend
