#include "attend/server/work/work_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "attend/core/too_long.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr std::int64_t kMostRequests = 64;

// What a client may have of all that may wait.
std::int64_t share_of(const std::string& client, std::int64_t all) {
  return client.empty() ? all : (3 * all + 3) / 4;
}

}  // namespace

struct WorkTurns::State {
  struct Request {
    Work work;
    bool is_cancelled = false;
  };
  using Pointer = std::shared_ptr<Request>;

  explicit State(std::int64_t tokens) : most_tokens(tokens) {}

  void run();
  Pointer submit(Work work);
  void cancel(const Pointer& request);

  // With the lock.
  Pointer take();
  void require_room(const Work& work) const;

  const std::int64_t most_tokens;
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Pointer> waiting;
  Pointer running;          // a part of it is being done
  std::string last_client;  // whose turn it was
  bool stopping = false;
};

void WorkTurns::State::require_room(const Work& work) const {
  std::int64_t tokens = 0, requests = 0, own_tokens = 0, own_requests = 0;
  const auto count = [&](const Request& one) {
    tokens += one.work.tokens;
    ++requests;
    if (one.work.client != work.client) return;
    own_tokens += one.work.tokens;
    ++own_requests;
  };
  for (const Pointer& one : waiting) count(*one);
  if (running) count(*running);
  if (tokens + work.tokens > most_tokens || requests >= kMostRequests ||
      own_tokens + work.tokens > share_of(work.client, most_tokens) ||
      own_requests >= share_of(work.client, kMostRequests))
    throw OverloadedError(
        "too many requests for explanations and alternatives are waiting; try again later");
}

WorkTurns::State::Pointer WorkTurns::State::submit(Work work) {
  if (const std::int64_t most = share_of(work.client, most_tokens); work.tokens > most)
    throw TooLongError(fmt::format("a request of {} tokens never fits: at most {} tokens may wait",
                                   work.tokens, most));
  const std::lock_guard lock(mutex);
  require_room(work);
  waiting.push_back(std::make_shared<Request>(Request{std::move(work)}));
  arrived.notify_one();
  return waiting.back();
}

// The first of the client that comes after the last one in the order of their names.
WorkTurns::State::Pointer WorkTurns::State::take() {
  const auto turn = [this](const Pointer& request) {
    return std::pair(request->work.client <= last_client, request->work.client);
  };
  const auto next =
      std::min_element(waiting.begin(), waiting.end(),
                       [&](const Pointer& a, const Pointer& b) { return turn(a) < turn(b); });
  Pointer taken = *next;
  waiting.erase(next);
  last_client = taken->work.client;
  return taken;
}

void WorkTurns::State::cancel(const Pointer& request) {
  {
    const std::lock_guard lock(mutex);
    if (std::exchange(request->is_cancelled, true)) return;
    if (std::erase(waiting, request) == 0) return;  // its part ends first, or it is done
  }
  request->work.cancelled();
}

void WorkTurns::State::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    arrived.wait(lock, [this] { return stopping || !waiting.empty(); });
    if (stopping) return;
    const Pointer request = running = take();
    lock.unlock();
    const bool more = request->work.part();
    lock.lock();
    running.reset();
    if (more && !request->is_cancelled) {
      waiting.push_back(request);
    } else if (more) {
      lock.unlock();
      request->work.cancelled();
      lock.lock();
    }
  }
}

WorkTurns::WorkTurns(std::int64_t most_tokens)
    : state_(std::make_shared<State>(most_tokens)), thread_([this] { state_->run(); }) {}

WorkTurns::~WorkTurns() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->arrived.notify_one();
  thread_.join();
}

WorkTurns::Cancel WorkTurns::submit(Work work) {
  return [state = std::weak_ptr(state_), request = std::weak_ptr(state_->submit(std::move(work)))] {
    const auto now = state.lock();
    const auto waiting = request.lock();
    if (now && waiting) now->cancel(waiting);
  };
}

}  // namespace attend
