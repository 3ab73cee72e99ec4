// What the public objects hide: an engine of tasks, and the runtime that they were given.
#pragma once

#include <memory>

#include "attend/classifier.h"
#include "attend/core/runtime.h"
#include "attend/embedder.h"
#include "attend/generator.h"
#include "attend/tagger.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/tagging/engine.h"
#include "attend/tasks/translation/engine.h"
#include "attend/translator.h"

namespace attend {

struct Translator::Impl {
  TranslationEngine engine;
  std::shared_ptr<Runtime> runtime;
};

struct Generator::Impl {
  GenerationEngine engine;
  std::shared_ptr<Runtime> runtime;
};

struct Classifier::Impl {
  ClassificationEngine engine;
  std::shared_ptr<Runtime> runtime;
};

struct Tagger::Impl {
  TaggingEngine engine;
  std::shared_ptr<Runtime> runtime;
};

struct Embedder::Impl {
  EmbeddingEngine engine;
  std::shared_ptr<Runtime> runtime;
};

}  // namespace attend
