// Sums over processes on a thread of their own, while the rest of the numbers is still computed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "attend/core/threads/runtime.h"

namespace attend {

// All-reduces a flat gradient of P numbers bucket by bucket, the last one first, while the backward
// pass runs. That is the order in which it completes gradients, and every process keeps to it.
// Between start() and finish(), only the thread of the sums may call the processes.
class BackgroundSum {
 public:
  // Sums elements [begin, end) over the processes, on the thread. Its kernels are those of the
  // device of the current runtime, with one thread.
  using Sum = std::function<void(std::int64_t begin, std::int64_t end)>;
  BackgroundSum(std::int64_t size, std::int64_t bucket, Sum sum);
  // Waits for the sum of a bucket that has begun, and leaves the others: for a step that has
  // failed.
  ~BackgroundSum();
  BackgroundSum(const BackgroundSum&) = delete;
  BackgroundSum& operator=(const BackgroundSum&) = delete;

  // A step begins: nothing is complete.
  void start();
  // Elements [begin, end) will not change any more, which is said once of each. A bucket is summed
  // when it and the later ones are complete.
  void complete(std::int64_t begin, std::int64_t end);
  // Everything is complete. Returns when it is summed. Throws what a sum has thrown.
  void finish();

  std::int64_t buckets() const { return static_cast<std::int64_t>(missing_.size()); }

 private:
  std::int64_t begin_of(std::int64_t bucket) const;  // counted from the end
  std::int64_t end_of(std::int64_t bucket) const;
  void set_ready(std::int64_t count);
  void run(const Device& device);

  std::int64_t size_, bucket_;
  Sum sum_;
  std::vector<std::int64_t> missing_;  // elements of each bucket; of the thread that computes

  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t ready_ = 0, summed_ = 0;  // buckets
  bool ends_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace attend
