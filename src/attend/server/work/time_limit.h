// Ends requests that take too long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "attend/server/http/exchange.h"

namespace attend {

class TimeLimit {
 public:
  explicit TimeLimit(double seconds);  // 0: none
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  double seconds() const { return seconds_; }
  // Lets the exchange expire unless it has ended by then.
  void watch(const std::shared_ptr<Exchange>& exchange);

 private:
  using Clock = std::chrono::steady_clock;
  struct Watched {
    Clock::time_point end;
    std::weak_ptr<Exchange> exchange;
  };

  void run();

  const double seconds_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Watched> watched_;  // in the order of their ends
  std::size_t sweep_at_;         // exchanges; then those that have ended are dropped
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace attend
