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

// One job for all continuations, whose items are numbered from `first`. Throws like
// GenerationEngine::generate().
std::unique_ptr<Job> job_of(const GenerationEngine& engine, GenerationRequest request,
                            std::size_t first, std::shared_ptr<const Receiver<Generation>> receiver,
                            const std::shared_ptr<const RequestState>& state);
// The same as the only job, with items from 0.
Jobs jobs_of(const GenerationEngine& engine, GenerationRequest request,
             Receiver<Generation> receiver, const std::shared_ptr<const RequestState>& state);

}  // namespace attend
