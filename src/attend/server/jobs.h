// The work of a server: an engine that decodes what is there, and a thread for what an engine does
// not do.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "attend/engine.h"
#include "attend/server/background.h"

namespace attend {

// Receives the tokens of a request that were read or written, as they become known; from any
// thread.
using Spend = std::function<void(std::int64_t tokens)>;

inline std::int64_t tokens_written(const Translation& translation) {
  std::int64_t tokens = 0;
  for (const TranslationCandidate& candidate : translation.candidates)
    tokens += std::ssize(candidate.tokens);
  return tokens;
}
inline std::int64_t tokens_written(const Generation& generation) {
  return std::ssize(generation.ids);
}
inline std::int64_t tokens_written(const Classification&) { return 0; }
inline std::int64_t tokens_written(const Tagging&) { return 0; }
inline std::int64_t tokens_written(const Embedding&) { return 0; }

// Translations to score.
struct ScoringJob {
  std::vector<std::string> sources;
  std::vector<std::string> targets;  // as many
  LanguagePair languages = {};
};

class Jobs {
 public:
  // At most `max_tokens` wait for each model. Models compute on `runtime`.
  Jobs(std::int64_t max_tokens, std::shared_ptr<Runtime> runtime);

  // Items that have no answer yet fail with CancelledError. Does not wait for that.
  using Cancel = std::function<void()>;

  // Queue all items or none. Receivers are called on threads of the jobs. Throw OverloadedError if
  // the items do not fit, and what Engine::submit() throws.
  template <class Model, class Request, class Answer>
  Cancel submit(const Model& model, Request request, Receiver<Answer> receiver,
                const Spend& spend) {
    const auto spends_by_token = spend_as_written(request, spend);
    receiver.accept = [spend, spends_by_token, accept = std::move(receiver.accept)](
                          std::size_t item, Answer answer) {
      if (!*spends_by_token) spend(tokens_written(answer));
      accept(item, std::move(answer));
    };
    const Ticket ticket = engine_.submit(model, std::move(request), std::move(receiver));
    spend(ticket.tokens());
    return [ticket] { ticket.cancel(); };
  }
  // The log-probabilities of texts; the items are pairs, or lines of a language model.
  Cancel score(const Translator& translator, ScoringJob job, Receiver<SequenceScore> receiver,
               const Spend& spend);
  Cancel score(const Generator& generator, std::vector<std::string> lines,
               Receiver<SequenceScore> receiver, const Spend& spend);

  // Runs `task`, which must not throw, after the scores that wait. Throws OverloadedError if too
  // many do.
  void run(std::function<void()> task);

  EngineStatistics statistics() const { return engine_.statistics(); }

 private:
  // Tokens that are handed on when they are written are also spent then: whoever cancels has had
  // them. -> whether that has happened.
  static std::shared_ptr<std::atomic<bool>> spend_as_written(auto& request, const Spend& spend) {
    const auto happens = std::make_shared<std::atomic<bool>>(false);
    if constexpr (requires { request.grow; }) {
      if (!request.grow) return happens;
      request.grow = [happens, spend, grow = std::move(request.grow)](const GeneratedToken& token) {
        *happens = true;
        spend(1);
        grow(token);
      };
    }
    return happens;
  }

  // `batch` scores the items [begin, begin + count).
  using Batch = std::function<std::vector<SequenceScore>(std::size_t begin, std::size_t count)>;
  Cancel score_items(std::size_t items, Batch batch, Receiver<SequenceScore> receiver);

  Engine engine_;
  Background scoring_;
};

}  // namespace attend
