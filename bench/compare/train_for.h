// The timed part of a training comparison.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>

#include "attend/autograd/variable.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

struct TimedStep {
  Variable loss;
  double tokens = 0;
  double source_tokens = 0;
};

// Steps of Adam, with the loss of step(i), i = 0, 1, ...: a few to warm up, then for `seconds`. ->
// {"steps": ..., "tokens_per_second": ..., "source_tokens_per_second": ..., "fastest_step_seconds":
// ..., "peak_bytes": of the process}
nlohmann::json train_for(double seconds, ParameterSet& parameters,
                         const std::function<TimedStep(std::int64_t)>& step);

}  // namespace attend
