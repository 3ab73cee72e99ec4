#include "attend/base_model.h"

#include <utility>

#include "attend/api/entered_runtime.h"
#include "attend/api/public_models.h"
#include "attend/tasks/model_reading.h"
#include "attend/tasks/shared_base.h"

namespace attend {

struct BaseModel::Impl {
  SharedBase base;
  std::shared_ptr<Runtime> runtime;

  std::shared_ptr<const SavedModel> with(const std::filesystem::path& adapter) const {
    if (adapter.empty()) return base.model();
    return base.with_adapter(adapter);
  }

  // The implementation of a public object of one kind of model.
  template <class Model, class PublicImpl>
  std::shared_ptr<const PublicImpl> of_kind(const std::filesystem::path& adapter) const {
    const EnteredRuntime entered(runtime);
    const std::shared_ptr<const SavedModel> model = with(adapter);
    const auto* const found = dynamic_cast<const Model*>(model.get());
    if (found == nullptr) throw wrong_task(model->source, Model::kTask, model->task());
    return std::make_shared<const PublicImpl>(
        PublicImpl{decltype(PublicImpl::engine)(*found), runtime});
  }
};

BaseModel BaseModel::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  const EnteredRuntime entered(runtime);
  return BaseModel(std::make_shared<const Impl>(Impl{SharedBase::load(path), std::move(runtime)}));
}

Translator BaseModel::translator(const std::filesystem::path& adapter) const {
  return Translator(impl_->of_kind<TranslationModel, Translator::Impl>(adapter));
}

Generator BaseModel::generator(const std::filesystem::path& adapter) const {
  return Generator(impl_->of_kind<LanguageModel, Generator::Impl>(adapter));
}

Classifier BaseModel::classifier(const std::filesystem::path& adapter) const {
  return Classifier(impl_->of_kind<ClassificationModel, Classifier::Impl>(adapter));
}

Tagger BaseModel::tagger(const std::filesystem::path& adapter) const {
  return Tagger(impl_->of_kind<TaggingModel, Tagger::Impl>(adapter));
}

Embedder BaseModel::embedder(const std::filesystem::path& adapter) const {
  const EnteredRuntime entered(impl_->runtime);
  return Embedder(std::make_shared<const Embedder::Impl>(
      Embedder::Impl{EmbeddingEngine(*impl_->with(adapter)), impl_->runtime}));
}

}  // namespace attend
