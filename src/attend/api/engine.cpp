#include "attend/engine.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/api/views.h"
#include "attend/core/threads/entered_runtime.h"
#include "attend/tasks/serving/decoding_jobs.h"
#include "attend/tasks/serving/scoring_jobs.h"
#include "attend/tasks/serving/serving_engine.h"
#include "attend/tasks/serving/text_jobs.h"

namespace attend {

struct Ticket::State {
  // There is a state for each item if it can be cancelled alone, else one for all.
  std::vector<std::shared_ptr<RequestState>> requests;
  std::weak_ptr<ServingEngine> engine;
  std::int64_t tokens = 0;

  void notice() const {
    if (const auto serving = engine.lock()) serving->notice_cancelled();
  }
};

void Ticket::cancel() const {
  if (!state_) return;
  for (const auto& request : state_->requests) request->cancelled = true;
  state_->notice();
}

void Ticket::cancel(std::size_t item) const {
  if (!state_ || state_->requests.empty()) return;
  state_->requests[std::min(item, state_->requests.size() - 1)]->cancelled = true;
  state_->notice();
}

std::int64_t Ticket::tokens() const { return state_ ? state_->tokens : 0; }

struct Engine::Impl {
  std::shared_ptr<ServingEngine> engine;

  template <class Model, class Request, class Answer>
  std::shared_ptr<Ticket::State> submit(const Model& model, Request request,
                                        Receiver<Answer> receiver) const {
    const EnteredRuntime entered(engine->runtime());
    const auto own = std::make_shared<RequestState>();
    own->client = std::move(request.client);
    return submit(jobs_of(model, std::move(request), std::move(receiver), own), {own});
  }

  std::shared_ptr<Ticket::State> submit(Jobs jobs,
                                        std::vector<std::shared_ptr<RequestState>> requests) const {
    const auto state = std::make_shared<Ticket::State>();
    state->requests = std::move(requests);
    state->engine = engine;
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

Ticket Engine::submit(const Generator& generator, std::vector<GenerationRequest> requests,
                      Receiver<Generation> receiver) {
  const EnteredRuntime entered(impl_->engine->runtime());
  const auto shared = std::make_shared<const Receiver<Generation>>(std::move(receiver));
  Jobs jobs;
  std::vector<std::shared_ptr<RequestState>> states;
  for (GenerationRequest& request : requests) {
    const auto own = std::make_shared<RequestState>();
    own->client = std::move(request.client);
    const std::size_t first = states.size();
    states.insert(states.end(), static_cast<std::size_t>(std::max(1, request.options.n_best)), own);
    jobs.push_back(job_of(generator.impl_->engine, std::move(request), first, shared, own));
  }
  return Ticket(impl_->submit(std::move(jobs), std::move(states)));
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

Ticket Engine::submit(const Translator& translator, PairScoringRequest request,
                      Receiver<SequenceScore> receiver) {
  return Ticket(impl_->submit(translator.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Generator& generator, TextScoringRequest request,
                      Receiver<SequenceScore> receiver) {
  return Ticket(impl_->submit(generator.impl_->engine, std::move(request), std::move(receiver)));
}

Ticket Engine::submit(const Generator& generator, TokenScoringRequest request,
                      Receiver<std::vector<GeneratedToken>> receiver) {
  return Ticket(impl_->submit(generator.impl_->engine, std::move(request), std::move(receiver)));
}

EngineStatistics Engine::statistics() const { return impl_->engine->statistics(); }

void Engine::drain() { impl_->engine->drain(); }

void Engine::stop() { impl_->engine->stop(); }

}  // namespace attend
