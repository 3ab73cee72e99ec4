// Loops over threads. OpenMP underneath: one pool of threads in the process.
#pragma once

#include <cstdint>
#include <exception>
#include <mutex>
#include <utility>

#include "attend/core/visible_fork.h"

namespace attend {

namespace detail {

// Keeps the exception of the lowest index.
class FirstFailure {
 public:
  void add(std::int64_t index, std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (exception_ == nullptr || index < index_) {
      index_ = index;
      exception_ = std::move(exception);
    }
  }
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::int64_t index_ = 0;
  std::exception_ptr exception_;
};

}  // namespace detail

// Physical cores this process may use: the default number of threads.
int physical_cores();

// Threads used by parallel_for and by the matrix products. Throws ConfigError unless count >= 1.
void set_threads(int count);
// What set_threads said; 1 inside a parallel loop: loops in loops run on one thread.
int threads();

// Runs body(begin, end) over disjoint ranges that cover [0, count), each at least `grain` long but the last. The ranges depend on the
// number of threads, so a body must not let its result depend on where a range ends.
template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body);

// Runs body(i) for every i in [0, count), handed out one by one: for few items of unequal cost. When bodies throw, the
// exception of the lowest i is thrown in the end.
template <class Body>
void parallel_each(std::int64_t count, const Body& body);

template <class Body>
void parallel_for(std::int64_t count, std::int64_t grain, const Body& body) {
  if (count <= 0) return;
  if (grain < 1) grain = 1;
  std::int64_t parts = (count + grain - 1) / grain;
  if (parts > threads()) parts = threads();
  if (parts <= 1) {
    body(std::int64_t{0}, count);
    return;
  }
  detail::VisibleFork fork;
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    fork.enter();
    body(count * part / parts, count * (part + 1) / parts);
    fork.leave();
  }
  fork.join();
}

template <class Body>
void parallel_each(std::int64_t count, const Body& body) {
  if (count == 1 || threads() == 1) {
    for (std::int64_t i = 0; i < count; ++i) body(i);
    return;
  }
  detail::VisibleFork fork;
  detail::FirstFailure failure;
#pragma omp parallel for num_threads(threads()) schedule(dynamic, 1)
  for (std::int64_t i = 0; i < count; ++i) {
    fork.enter();
    try {
      body(i);
    } catch (...) {
      failure.add(i, std::current_exception());
    }
    fork.leave();
  }
  fork.join();
  failure.rethrow();
}

}  // namespace attend
