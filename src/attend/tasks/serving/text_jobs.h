// Jobs that one pass of an encoder answers: classifications, tags and embeddings.
#pragma once

#include "attend/engine.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/serving/job.h"
#include "attend/tasks/tagging/engine.h"

namespace attend {

// A job for each text. Throws like ClassificationEngine::classify().
Jobs jobs_of(const ClassificationEngine& engine, ClassificationRequest request,
             Receiver<Classification> receiver, const std::shared_ptr<const RequestState>& state);

// A job for each text. Throws like TaggingEngine::tag().
Jobs jobs_of(const TaggingEngine& engine, TaggingRequest request, Receiver<Tagging> receiver,
             const std::shared_ptr<const RequestState>& state);

// A job for each text. Throws like EmbeddingEngine::embed().
Jobs jobs_of(const std::shared_ptr<const EmbeddingEngine>& engine, EmbeddingRequest request,
             Receiver<Embedding> receiver, const std::shared_ptr<const RequestState>& state);

}  // namespace attend
