// What a server has done, in the text format of Prometheus (version 0.0.4).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "attend/engine.h"

namespace attend {

class Metrics {
 public:
  // `route`: one of a few names, not what clients send.
  void add_request(const std::string& route, int status, double seconds);

  // What others know at the moment.
  struct Gauges {
    EngineStatistics jobs;
    std::int64_t queue_limit = 0;  // tokens
    int connections = 0;
    int models = 0;
  };
  std::string text(const Gauges& gauges) const;

 private:
  static constexpr std::array kBounds{0.005, 0.01, 0.025, 0.05, 0.1,  0.25, 0.5,
                                      1.0,   2.5,  5.0,   10.0, 30.0, 60.0};
  struct Histogram {
    std::array<std::int64_t, kBounds.size() + 1> counts{};  // the last one: longer than all bounds
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, std::int64_t> requests_;
  std::map<std::string, Histogram> seconds_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
};

}  // namespace attend
