#include "attend/base_model.h"

#include <utility>

#include "attend/api/views.h"

namespace attend {

BaseModel BaseModel::load(const std::filesystem::path& path, std::shared_ptr<Runtime> runtime) {
  return BaseModel(std::make_shared<const Impl>(Impl{LoadedModel::load(path, std::move(runtime))}));
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
