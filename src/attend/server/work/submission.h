// The work of a request: what the engine queues, and what takes its turn beside it. The tokens are
// counted for the key of the request, and a client that hangs up takes its work away.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "attend/engine.h"
#include "attend/server/service.h"
#include "attend/server/work/gathering.h"

namespace attend {

template <class Answer>
std::int64_t tokens_written(const Answer&) {
  return 0;
}
inline std::int64_t tokens_written(const Translation& translation) {
  std::int64_t tokens = 0;
  for (const TranslationCandidate& candidate : translation.candidates)
    tokens += std::ssize(candidate.tokens);
  return tokens;
}

// Queues a request of so many items. `done` is called once with all answers, or the call fails.
// Throws what Engine::submit() throws.
template <class Answer, class Model, class Request>
void submit(const std::shared_ptr<Call>& call, const Model& model, Request request,
            std::size_t items, std::function<void(std::vector<Answer>)> done) {
  const Spend spend = call->spend();
  Receiver<Answer> receiver = gather<Answer>(
      items, std::move(done), [call](std::exception_ptr error) { call->fail(error); });
  receiver.accept = [spend, accept = std::move(receiver.accept)](std::size_t item, Answer answer) {
    spend(tokens_written(answer));
    accept(item, std::move(answer));
  };
  request.client = spend.client();
  const Ticket ticket =
      call->service.engine().submit(model, std::move(request), std::move(receiver));
  spend(ticket.tokens());
  call->on_hang_up([ticket] { ticket.cancel(); });
}

// Runs `task`, which reads so many tokens and answers the call, when it is its turn. If it throws,
// the call fails. Throws OverloadedError if too much waits, TooLongError for what never fits.
void run_in_turn(const std::shared_ptr<Call>& call, std::int64_t tokens,
                 std::function<void()> task);

}  // namespace attend
