// The outcomes of a request of several items, gathered until all have arrived.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "attend/engine.h"

namespace attend {

// Calls `done` once with the answers in the order of their items, or `fail` with the first error,
// when the last outcome has arrived. Exceptions of `done` go to `fail`.
template <class Answer>
Receiver<Answer> gather(std::size_t items, std::function<void(std::vector<Answer>)> done,
                        std::function<void(std::exception_ptr)> fail) {
  struct Gathering {
    std::mutex mutex;
    std::vector<Answer> answers;
    std::size_t missing;
    std::exception_ptr error = nullptr;
  };
  const auto all = std::make_shared<Gathering>();
  all->answers.resize(items);
  all->missing = items;
  const auto arrive = [all, done = std::move(done), fail = std::move(fail)] {
    if (all->error) return fail(all->error);
    try {
      done(std::move(all->answers));
    } catch (...) {
      fail(std::current_exception());
    }
  };
  return {.accept =
              [all, arrive](std::size_t item, Answer answer) {
                {
                  const std::lock_guard lock(all->mutex);
                  all->answers[item] = std::move(answer);
                  if (--all->missing > 0) return;
                }
                arrive();
              },
          .fail =
              [all, arrive](std::size_t, std::exception_ptr error) {
                {
                  const std::lock_guard lock(all->mutex);
                  if (!all->error) all->error = std::move(error);
                  if (--all->missing > 0) return;
                }
                arrive();
              }};
}

}  // namespace attend
