// Translation models that are used together.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/tasks/explanation/attention_change.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/model_file/model_reading.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

inline constexpr const char* kEnsembleHelp =
    "more translation models with the same vocabularies; token probabilities are averaged over all "
    "models";

// Throws like load_model(), and DataError for a model of another task.
inline std::shared_ptr<const TranslationModel> load_translation_model(
    const std::string& path, const AttentionChangeOptions& changes) {
  const std::shared_ptr<const SavedModel> model = load_model(path, changes);
  auto translation = std::dynamic_pointer_cast<const TranslationModel>(model);
  if (!translation) throw wrong_task(model->source, TranslationModel::kTask, model->task());
  return translation;
}

// A model together with those at `paths`. Throws the same, and DataError for models that do not fit
// together.
inline TranslationEngine with_ensemble(std::shared_ptr<const TranslationModel> first,
                                       const std::vector<std::string>& paths,
                                       const AttentionChangeOptions& changes) {
  TranslationEnsemble::Models models{std::move(first)};
  for (const std::string& path : paths) models.push_back(load_translation_model(path, changes));
  return TranslationEngine(TranslationEnsemble(std::move(models)));
}

}  // namespace attend
