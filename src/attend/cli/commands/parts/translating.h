// Translators that translate text to disk, as a part of a command.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/parts/part_cost.h"
#include "attend/cli/commands/parts/trained_part.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/targets.h"

namespace attend {

// All of them as one translator. Throws DataError for models that do not fit together.
TranslationEngine ensemble_of(const Teachers& translators);

// What write_targets() takes for the text of `source`, by its first sentences.
PartCost targets_cost(const TranslationEngine& translators, TeacherState state,
                      const TargetSource& source, const TargetOptions& options);

}  // namespace attend
