// Tells ThreadSanitizer what an OpenMP loop guarantees: what comes before the loop happens before every iteration, and they happen before
// what follows. GCC's OpenMP runtime synchronises with futexes that the sanitizer cannot see. Nothing in other builds. Private to core/.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define ATTEND_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define ATTEND_THREAD_SANITIZER 1
#endif
#endif

#ifdef ATTEND_THREAD_SANITIZER
#include <atomic>
#endif

namespace attend::detail {

#ifdef ATTEND_THREAD_SANITIZER
class VisibleFork {
 public:
  VisibleFork() { forked_.store(1, std::memory_order_release); }
  void enter() { static_cast<void>(forked_.load(std::memory_order_acquire)); }
  void leave() { left_.fetch_add(1, std::memory_order_release); }
  void join() { static_cast<void>(left_.load(std::memory_order_acquire)); }

 private:
  std::atomic<int> forked_{0};
  std::atomic<int> left_{0};
};
#else
class VisibleFork {
 public:
  void enter() {}
  void leave() {}
  void join() {}
};
#endif

}  // namespace attend::detail
