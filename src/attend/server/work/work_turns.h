// Work that no engine does, such as explaining, on one thread. Requests are worked on
// in parts and clients take turns, so that a short request waits for no long one.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace attend {

class WorkTurns {
 public:
  // At most `most_tokens` wait or are worked on, of at most 64 requests.
  explicit WorkTurns(std::int64_t most_tokens);
  ~WorkTurns();  // finishes the part in progress; the rest is not begun
  WorkTurns(const WorkTurns&) = delete;
  WorkTurns& operator=(const WorkTurns&) = delete;

  struct Work {
    std::string client;
    std::int64_t tokens = 0;          // that it reads
    std::function<bool()> part;       // does a part; whether more follow. Must not throw
    std::function<void()> cancelled;  // called instead of further parts
  };
  // Does not wait until the work has ended; may be called when all of this is gone.
  using Cancel = std::function<void()>;
  // Throws OverloadedError if too much waits: a client with a name may have three quarters of what
  // may wait. Throws TooLongError for work that never fits.
  Cancel submit(Work work);

 private:
  struct State;
  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace attend
