// The models of a command, as every other interface loads them.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/binding/model_path.h"
#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

inline constexpr const char* kEnsembleHelp =
    "more translation models with the same vocabularies; token probabilities are averaged over all "
    "models";

// A model with those at `paths`, all with the same changes of their attention. Throws like
// load_model(), and DataError for a model of another task and for models that do not fit together.
inline TranslationEngine with_ensemble(const SavedModel& first,
                                       const std::vector<std::string>& paths,
                                       const AttentionChangeOptions& changes) {
  std::vector<TranslationEngine> engines{TranslationEngine(model_as<TranslationModel>(first))};
  for (const std::string& path : paths)
    engines.emplace_back(model_as<TranslationModel>(*load_model(model_path(path), changes)));
  std::vector<const TranslationEngine*> members;
  for (const TranslationEngine& engine : engines) members.push_back(&engine);
  return TranslationEngine::ensemble_of(members);
}

}  // namespace attend
