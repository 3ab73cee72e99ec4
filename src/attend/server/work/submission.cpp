#include "attend/server/work/submission.h"

#include "attend/error.h"

namespace attend {

void run_in_turn(const std::shared_ptr<Call>& call, std::int64_t tokens,
                 std::function<void()> task) {
  const auto once = [call, task = std::move(task)] {
    try {
      task();
    } catch (...) {
      call->fail(std::current_exception());
    }
    return false;
  };
  const auto cancelled = [call] {
    call->fail(std::make_exception_ptr(CancelledError("the request was cancelled")));
  };
  call->on_hang_up(call->service.turns().submit({call->spend().client(), tokens, once, cancelled}));
}

}  // namespace attend
