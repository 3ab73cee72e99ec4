#include "attend/train/objective.h"

#include <array>
#include <limits>
#include <span>

#include "attend/checkpoint/finite.h"

namespace attend {

void Validation::score_by(std::string_view name) {
  if (name == "loss") {
    score = -loss;
    return;
  }
  score = metrics.front().second;
  for (const auto& [metric, value] : metrics)
    if (metric == name) score = value;
}

Validation Objective::validate() {
  SingleProcess alone;
  return validate_together(alone);
}

Validation Objective::validate_together(Collective& processes) {
  Validation result;
  if (processes.is_first()) {
    try {
      result = validate();
    } catch (const NotFiniteError&) {  // of decoding: no loss of the model is NaN
      result.loss = std::numeric_limits<double>::quiet_NaN();
    }
  }
  std::array<double, 3> numbers{result.loss, result.nll, result.score};
  processes.broadcast(std::as_writable_bytes(std::span(numbers)));
  result.loss = numbers[0];
  result.nll = numbers[1];
  result.score = numbers[2];
  return result;
}

}  // namespace attend
