#include "attend/engine.h"

#include <utility>

#include "attend/api/entered_runtime.h"
#include "attend/api/public_models.h"
#include "attend/tasks/serving/decoding_jobs.h"
#include "attend/tasks/serving/serving_engine.h"
#include "attend/tasks/serving/text_jobs.h"

namespace attend {

struct Ticket::State {
  const std::shared_ptr<RequestState> request = std::make_shared<RequestState>();
  std::weak_ptr<ServingEngine> engine;
  std::int64_t tokens = 0;
};

void Ticket::cancel() const {
  if (!state_) return;
  state_->request->cancelled = true;
  if (const auto engine = state_->engine.lock()) engine->notice_cancelled();
}

std::int64_t Ticket::tokens() const { return state_ ? state_->tokens : 0; }

struct Engine::Impl {
  std::shared_ptr<ServingEngine> engine;

  template <class Model, class Request, class Answer>
  std::shared_ptr<Ticket::State> submit(const Model& model, Request request,
                                        Receiver<Answer> receiver) const {
    const EnteredRuntime entered(engine->runtime());
    const auto state = std::make_shared<Ticket::State>();
    state->engine = engine;
    Jobs jobs = jobs_of(model, std::move(request), std::move(receiver), state->request);
    for (const auto& job : jobs) state->tokens += job->size().tokens;
    engine->submit(std::move(jobs));
    return state;
  }
};

Engine::Engine(const EngineOptions& options, std::shared_ptr<Runtime> runtime)
    : impl_(new Impl{std::make_shared<ServingEngine>(options, std::move(runtime))}) {}

Engine::~Engine() { stop(); }

Ticket Engine::submit(const Translator& translator, TranslationRequest request,
                      Receiver<Translation> receiver) {
  return Ticket(impl_->submit(translator.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Generator& generator, GenerationRequest request,
                      Receiver<Generation> receiver) {
  return Ticket(impl_->submit(generator.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Classifier& classifier, ClassificationRequest request,
                      Receiver<Classification> receiver) {
  return Ticket(impl_->submit(classifier.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Tagger& tagger, TaggingRequest request, Receiver<Tagging> receiver) {
  return Ticket(impl_->submit(tagger.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Embedder& embedder, EmbeddingRequest request,
                      Receiver<Embedding> receiver) {
  const std::shared_ptr<const EmbeddingEngine> model(embedder.impl_, &embedder.impl_->engine);
  return Ticket(impl_->submit(model, std::move(request), std::move(receiver)));
}

EngineStatistics Engine::statistics() const { return impl_->engine->statistics(); }

void Engine::drain() { impl_->engine->drain(); }

void Engine::stop() { impl_->engine->stop(); }

}  // namespace attend
