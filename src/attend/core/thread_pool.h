// Threads that wait for loops to share.
//
// The thread that calls run() works on its own loop, so a pool of n threads starts n - 1 workers,
// at the first loop that can use them. Items are claimed one by one: a worker that wakes late takes
// less, and nobody waits for a worker that has claimed nothing. Workers spin for some microseconds
// after a loop, because the next one usually follows at once, and then sleep: a machine shared with
// other programs loses nothing to a pool that is idle.
#pragma once

#include <atomic>
#include <cstdint>

namespace attend {

// A reference to a function of an index; what it refers to must outlive the call it is passed to.
class IndexBody {
 public:
  template <class Body>
  explicit IndexBody(const Body& body)
      : body_(&body),
        call_([](const void* b, std::int64_t i) { (*static_cast<const Body*>(b))(i); }) {}
  void operator()(std::int64_t index) const { call_(body_, index); }

 private:
  const void* body_;
  void (*call_)(const void*, std::int64_t);
};

inline constexpr int kMostThreads = 1024;

class ThreadPool {
 public:
  // Throws ConfigError unless threads is 1 .. kMostThreads.
  explicit ThreadPool(int threads);
  // Waits for the workers to end. No loop may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls body(i) once for every i in [0, count), each on some thread of the pool, and returns when
  // all calls have returned. When bodies throw, the exception of the lowest i is thrown in the end;
  // whether bodies of a higher i were called is not said. Loops that several threads ask for at the
  // same time follow one another. A loop inside a body runs on the thread of that body. In the
  // child of a fork() the pool starts workers of its own.
  void run(std::int64_t count, IndexBody body);

  // Whether the calling thread is in the body of a loop, of any pool.
  static bool inside_loop();

 private:
  class Workers;
  Workers& workers();

  const int threads_;
  std::atomic<Workers*> workers_ = nullptr;
};

}  // namespace attend
