#include "attend/base_model.h"

#include <utility>

#include "attend/api/views.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

BaseModel BaseModel::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return BaseModel(std::make_shared<const Impl>(Impl{LoadedModel::load(path, std::move(runtime))}));
}

std::string_view BaseModel::task() const {
  using Name = std::string_view;
  return visit_model(
      *impl_->loaded->model(),
      [](const TranslationModel&) -> Name { return TranslationTraining::kName; },
      [](const LanguageModel&) -> Name { return LanguageTraining::kName; },
      [](const ClassificationModel&) -> Name { return ClassificationTraining::kName; },
      [](const TaggingModel&) -> Name { return TaggingTraining::kName; },
      [](const EmbeddingModel&) -> Name { return EmbeddingTraining::kName; },
      [](const SavedModel& other) { return other.task(); });
}

BaseModel BaseModel::with_adapter(const std::filesystem::path& adapter) const {
  if (adapter.empty()) return *this;
  return BaseModel(std::make_shared<const Impl>(Impl{impl_->loaded->with_adapter(adapter)}));
}

Translator BaseModel::translator(const std::filesystem::path& adapter) const {
  return Translator(std::make_shared<const Translator::Impl>(*with_adapter(adapter).impl_->loaded));
}

Generator BaseModel::generator(const std::filesystem::path& adapter) const {
  return Generator(std::make_shared<const Generator::Impl>(*with_adapter(adapter).impl_->loaded));
}

Classifier BaseModel::classifier(const std::filesystem::path& adapter) const {
  return Classifier(std::make_shared<const Classifier::Impl>(*with_adapter(adapter).impl_->loaded));
}

Tagger BaseModel::tagger(const std::filesystem::path& adapter) const {
  return Tagger(std::make_shared<const Tagger::Impl>(*with_adapter(adapter).impl_->loaded));
}

Embedder BaseModel::embedder(const std::filesystem::path& adapter) const {
  return Embedder(std::make_shared<const Embedder::Impl>(*with_adapter(adapter).impl_->loaded));
}

}  // namespace attend
