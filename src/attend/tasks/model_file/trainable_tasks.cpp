// The tasks that can be trained, one line each: apart from the registry, so that what only loads
// models links no training. The engine of pages has another list (browser/page_trainings.cpp).
#include <array>

#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/training/usual_training.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {
namespace {

constexpr std::array kTrainings{usual_training<TranslationTraining>,
                                usual_training<LanguageTraining>,
                                usual_training<ClassificationTraining>,
                                usual_training<TaggingTraining>, usual_training<EmbeddingTraining>};

}  // namespace

std::vector<std::unique_ptr<Trainable>> trainable_tasks() {
  std::vector<std::unique_ptr<Trainable>> list;
  for (const auto make : kTrainings) list.push_back(make());
  return list;
}

}  // namespace attend
