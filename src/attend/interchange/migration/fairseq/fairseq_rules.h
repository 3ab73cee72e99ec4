// The tables of fairseq's options, by topic.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/interchange/migration/rules.h"

namespace attend {

// fairseq-preprocess, and the options of texts in fairseq-train.
std::span<const MigrationRule> fairseq_text_rules();
std::span<const MigrationRule> fairseq_model_rules();
std::span<const MigrationRule> fairseq_training_rules();
std::span<const MigrationRule> fairseq_run_rules();
std::span<const MigrationRule> fairseq_decoding_rules();
// What all programs of fairseq take.
std::span<const MigrationRule> fairseq_common_rules();

// What --arch sets; none for an unknown architecture. The first value of a name counts.
std::vector<PresetValue> fairseq_architecture(std::string_view name);

// Whether the recipe is that of a language model.
inline bool trains_language_model(const Migration& m) { return m.recipe().command() == "train lm"; }

// The elements of "5e-4", "[5e-4, 1e-4]" and "(0.9, 0.98)"; none for an option that is absent.
std::vector<std::string> fairseq_list(const Migration& m, std::string_view name);

}  // namespace attend
