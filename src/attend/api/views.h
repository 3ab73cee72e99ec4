// What the public objects of models are: views of a model in memory.
#pragma once

#include <memory>

#include "attend/base_model.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/loaded_model.h"
#include "attend/tasks/tagging/engine.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

struct Translator::Impl : ModelView<TranslationEngine> {
  using ModelView::ModelView;
};
struct Generator::Impl : ModelView<GenerationEngine> {
  using ModelView::ModelView;
};
struct Classifier::Impl : ModelView<ClassificationEngine> {
  using ModelView::ModelView;
};
struct Tagger::Impl : ModelView<TaggingEngine> {
  using ModelView::ModelView;
};
struct Embedder::Impl : ModelView<EmbeddingEngine> {
  using ModelView::ModelView;
};

struct BaseModel::Impl {
  std::shared_ptr<const LoadedModel> loaded;
};

// For code that looks into the model of a public object, or makes one.
struct ModelAccess {
  static const std::shared_ptr<const LoadedModel>& loaded(const BaseModel& base) {
    return base.impl_->loaded;
  }
};

}  // namespace attend
