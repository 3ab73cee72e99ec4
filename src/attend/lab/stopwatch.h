// Wall-clock and CPU time, and the duration of a function.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>

namespace attend::lab {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begun_ = Clock::now();
};

// The CPU time of this process over all threads, which other processes hardly affect.
class ProcessorStopwatch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begun_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begun_ = std::clock();
};

// Seconds of the fastest of several calls, repeated for `budget` seconds and at least three times,
// because disturbances only slow down.
template <class Watch = Stopwatch, class Function>
double fastest_call(double budget, const Function& function) {
  double best = std::numeric_limits<double>::infinity();
  const Watch whole;
  for (int call = 0; call < 3 || whole.seconds() < budget; ++call) {
    const Watch one;
    function();
    best = std::min(best, one.seconds());
  }
  return best;
}

}  // namespace attend::lab
