#include "attend/core/threads/thread_pool.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "attend/core/options/number_range.h"
#include "attend/core/threads/interruption.h"
#include "attend/error.h"

namespace attend {
namespace {

thread_local bool inside_loop_body = false;

// The number of forks since the library was loaded: threads do not survive a fork.
std::atomic<int> forks{0};
[[maybe_unused]] const int forks_are_counted =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Polls `done` for at most 200 microseconds. A wake-up costs some 20, but between the loops of a
// step of decoding there is often more than that to do on one thread. Returns whether it became
// true.
template <class Done>
bool spin_until(const Done& done) {
  constexpr std::chrono::microseconds kLongest{200};
  constexpr int kPauses = 32;
  const auto begin = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() - begin < kLongest);
  return done();
}

// Blocks signals, which are for the program's own threads. A thread inherits the mask of its
// creator.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

// The threads of a pool in one process.
//
// `open_` holds the number of the loop and how many of its items are unclaimed. A worker that
// claims an item knows by the loop's number that the loop has not ended, and may read the loop's
// other data until it reports the item done. A late worker sees another number, or nothing to
// claim, and touches nothing.
class ThreadPool::Workers {
 public:
  Workers() : process_(forks.load(std::memory_order_relaxed)) {}

  ~Workers() {
    stopping_.store(true, std::memory_order_relaxed);
    wake();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  bool of_this_process() const { return process_ == forks.load(std::memory_order_relaxed); }

  // Serializes loops.
  std::mutex& mutex() { return mutex_; }

  // Grows to `wanted` threads.
  void use(int wanted) {
    if (std::ssize(threads_) >= wanted) return;
    const SignalsBlocked blocked;
    try {
      while (std::ssize(threads_) < wanted) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The system has no more threads; the existing ones and the caller do all the work.
    }
  }

  void run(std::int64_t count, const IndexBody& body) {
    body_ = &body;
    failure_ = nullptr;
    count_ = static_cast<std::uint32_t>(count);
    unfinished_.store(count_, std::memory_order_relaxed);
    open_.store((static_cast<std::uint64_t>(++loop_) << 32) | count_, std::memory_order_release);
    wake();
    while (work_on_item()) continue;
    const auto finished = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
    if (!spin_until(finished)) wait_until(finished);
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  static std::uint32_t unclaimed(std::uint64_t open) { return static_cast<std::uint32_t>(open); }

  // Sleeps, but asks now and then whether the work is to end: the workers' looks find the answer.
  template <class Finished>
  void wait_until(const Finished& finished) {
    constexpr std::chrono::milliseconds kBetweenQuestions{50};
    InterruptionScope* const scope = interruption_scope();
    std::unique_lock lock(end_mutex_);
    if (scope == nullptr) return last_ended_.wait(lock, finished);
    while (!last_ended_.wait_for(lock, kBetweenQuestions, finished)) {
      lock.unlock();
      scope->ask();
      lock.lock();
    }
  }

  // Claims an item and runs it. Returns false if there is none.
  bool work_on_item() {
    std::uint64_t open = open_.load(std::memory_order_acquire);
    do {
      if (unclaimed(open) == 0) return false;
    } while (!open_.compare_exchange_weak(open, open - 1, std::memory_order_acquire));
    call(count_ - unclaimed(open));
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      const std::lock_guard lock(end_mutex_);
      last_ended_.notify_one();
    }
    return true;
  }

  void call(std::uint32_t index) {
    inside_loop_body = true;
    try {
      (*body_)(index);
    } catch (...) {
      const std::lock_guard lock(failure_mutex_);
      if (failure_ == nullptr || index < failed_) {
        failed_ = index;
        failure_ = std::current_exception();
      }
    }
    inside_loop_body = false;
  }

  void work() {
    for (;;) {
      const std::uint32_t calls = calls_.load(std::memory_order_acquire);
      if (stopping_.load(std::memory_order_relaxed)) return;
      while (work_on_item()) continue;
      const auto called = [&] { return calls_.load(std::memory_order_relaxed) != calls; };
      if (!spin_until(called)) calls_.wait(calls, std::memory_order_acquire);
    }
  }

  void wake() {
    calls_.fetch_add(1, std::memory_order_release);
    calls_.notify_all();
  }

  const int process_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;

  const IndexBody* body_ = nullptr;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;  // of the lowest failed index, failed_
  std::uint32_t failed_ = 0;
  std::mutex end_mutex_;
  std::condition_variable last_ended_;
  std::uint32_t count_ = 0;
  std::uint32_t loop_ = 0;
  // On separate cache lines, because all threads write to them.
  alignas(64) std::atomic<std::uint64_t> open_{0};  // loop number, and number of unclaimed items
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};
  alignas(64) std::atomic<std::uint32_t> calls_{0};  // number of wake-ups; workers sleep on it
  std::atomic<bool> stopping_{false};
};

ThreadPool::ThreadPool(int threads) : threads_(threads) {
  require_in_range("threads", threads, between(1, kMostThreads));
}

ThreadPool::~ThreadPool() {
  Workers* const workers = workers_.load();
  if (workers != nullptr && workers->of_this_process())
    delete workers;  // after a fork there is nothing to join
}

bool ThreadPool::inside_loop() { return inside_loop_body; }

// The workers of this process. After a fork, the parent's workers (and any locks they held) are
// abandoned.
ThreadPool::Workers& ThreadPool::workers() {
  Workers* found = workers_.load(std::memory_order_acquire);
  while (found == nullptr || !found->of_this_process()) {
    auto fresh = std::make_unique<Workers>();
    if (workers_.compare_exchange_strong(found, fresh.get(), std::memory_order_acq_rel))
      return *fresh.release();
  }
  return *found;
}

void ThreadPool::run(std::int64_t count, IndexBody body) {
  constexpr std::int64_t kMostItems = std::int64_t{1} << 31;
  if (count <= 1 || count > kMostItems || threads_ == 1 || inside_loop_body) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  Workers& workers = this->workers();
  const std::lock_guard lock(workers.mutex());
  workers.use(threads_ - 1);
  workers.run(count, body);
}

}  // namespace attend
