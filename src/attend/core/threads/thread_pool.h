// A thread pool for parallel loops.
//
// The thread that calls run() works on its own loop, so a pool of n threads starts n - 1 workers,
// at the first loop that can use them. Items are claimed one by one: a late worker takes fewer, and
// nobody waits for a worker without an item. Workers spin for some microseconds after a loop,
// because the next one usually follows at once, and then sleep, so that an idle pool costs other
// programs nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace attend {

// A reference to a function of an index. The function must outlive the call.
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
  // Joins the workers. No loop may be running.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls body(i) once for every i in [0, count), each on some thread of the pool, and returns
  // after all calls. If bodies throw, the exception of the lowest i is rethrown at the end; bodies
  // of higher i may or may not have been called. Concurrent loops take turns. A loop inside a body
  // runs on that body's thread. After a fork() the child's pool starts its own workers.
  void run(std::int64_t count, IndexBody body);

  // Whether the calling thread is inside a loop body, of any pool.
  static bool inside_loop();

 private:
  class Workers;
  Workers& workers();

  const int threads_;
  std::atomic<Workers*> workers_ = nullptr;
};

}  // namespace attend
