// The work of a server: an engine that decodes what is there, and a thread for what an engine does
// not do. Clients with keys take turns in both.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attend/engine.h"
#include "attend/server/work_turns.h"

namespace attend {

// Receives the tokens of a client's request that were read or written, as they become known; from
// any thread.
class Spend {
 public:
  // `client`: empty if there are no keys.
  Spend(std::string client, std::function<void(std::int64_t tokens)> count)
      : client_(std::move(client)), count_(std::move(count)) {}
  void operator()(std::int64_t tokens) const { count_(tokens); }
  const std::string& client() const { return client_; }

 private:
  std::string client_;
  std::function<void(std::int64_t)> count_;
};

inline std::int64_t tokens_written(const Translation& translation) {
  std::int64_t tokens = 0;
  for (const TranslationCandidate& candidate : translation.candidates)
    tokens += std::ssize(candidate.tokens);
  return tokens;
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

// Prompts of a language model whose tokens are to be scored.
struct TokenScoringJob {
  std::vector<std::vector<std::int32_t>> prompts;
  int likeliest = 0;
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
    request.client = spend.client();
    receiver.accept = [spend, accept = std::move(receiver.accept)](std::size_t item,
                                                                   Answer answer) {
      spend(tokens_written(answer));
      accept(item, std::move(answer));
    };
    const Ticket ticket = engine_.submit(model, std::move(request), std::move(receiver));
    spend(ticket.tokens());
    return [ticket] { ticket.cancel(); };
  }
  // Continuations of one request. Who receives their tokens as they are written spends them, as a
  // text may end before its last token.
  Ticket generate(const Generator& generator, std::vector<GenerationRequest> requests,
                  Receiver<Generation> receiver, const Spend& spend);
  // The log-probabilities of texts; the items are pairs, or lines of a language model.
  Cancel score(const Translator& translator, ScoringJob job, Receiver<SequenceScore> receiver,
               const Spend& spend);
  Cancel score(const Generator& generator, std::vector<std::string> lines,
               Receiver<SequenceScore> receiver, const Spend& spend);
  // Generator::score_tokens() of each of the prompts.
  Cancel score(const Generator& generator, TokenScoringJob prompts,
               Receiver<std::vector<GeneratedToken>> receiver, const Spend& spend);

  // Runs `task`, which must not throw and reads so many tokens, when it is its turn. `cancelled` is
  // called instead if it is cancelled before. Throws as submit() does.
  Cancel run(std::int64_t tokens, std::function<void()> task, std::function<void()> cancelled,
             const Spend& spend);

  EngineStatistics statistics() const { return engine_.statistics(); }

 private:
  template <class Score>
  struct Items {
    std::size_t count = 0;
    std::int64_t tokens = 0;
    std::size_t at_once = 1;  // scored in a turn
    // Scores the items [begin, begin + count).
    std::function<std::vector<Score>(std::size_t begin, std::size_t count)> score = {};
  };
  template <class Score>
  Cancel score_items(Items<Score> items, Receiver<Score> receiver, const Spend& spend);

  Engine engine_;
  WorkTurns others_;
};

}  // namespace attend
