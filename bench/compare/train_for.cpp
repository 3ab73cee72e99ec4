#include "train_for.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "attend/optim/adam.h"
#include "peak_memory.h"

namespace attend {

nlohmann::json train_for(double seconds, ParameterSet& parameters,
                         const std::function<TimedStep(std::int64_t)>& step) {
  constexpr int kWarmUp = 3;
  const auto now = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  };
  Adam adam(parameters, {});
  double begun = now(), tokens = 0, source_tokens = 0,
         fastest = std::numeric_limits<double>::infinity();
  std::int64_t steps = 0;
  for (std::int64_t i = 0; i <= kWarmUp || now() - begun < seconds; ++i) {
    if (i == kWarmUp) begun = now();
    const double step_begun = now();
    parameters.gradients().zero();
    const TimedStep timed = step(i);
    backward(timed.loss);
    adam.step(1e-4f);
    if (i < kWarmUp) continue;
    fastest = std::min(fastest, now() - step_begun);
    ++steps;
    tokens += timed.tokens;
    source_tokens += timed.source_tokens;
  }
  const double taken = now() - begun;
  return {{"steps", steps},
          {"tokens_per_second", tokens / taken},
          {"source_tokens_per_second", source_tokens / taken},
          {"fastest_step_seconds", fastest},
          {"peak_bytes", peak_bytes()}};
}

}  // namespace attend
