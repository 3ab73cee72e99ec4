// Jobs that are decoded token by token: translations and generations.
#pragma once

#include "attend/engine.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/serving/job.h"
#include "attend/tasks/translation/engine.h"

namespace attend {

// A job for each sentence. Throws like TranslationEngine::translate().
Jobs jobs_of(const TranslationEngine& engine, TranslationRequest request,
             Receiver<Translation> receiver, const std::shared_ptr<const RequestState>& state);

// One job for all continuations. Throws like GenerationEngine::generate().
Jobs jobs_of(const GenerationEngine& engine, GenerationRequest request,
             Receiver<Generation> receiver, const std::shared_ptr<const RequestState>& state);

}  // namespace attend
