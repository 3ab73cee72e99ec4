// What decoding needs of a model: next-token logits for a changing set of hypotheses. Any architecture that predicts left to right fits.
#pragma once

#include <cstdint>
#include <span>

#include "attend/tensor/tensor.h"

namespace attend {

class StepModel {
 public:
  virtual ~StepModel() = default;

  // The sentences being decoded; step() begins with one hypothesis for each.
  virtual std::int64_t sentences() const = 0;
  // The longest target, in tokens, that makes sense for a sentence.
  virtual std::int64_t longest(std::int64_t sentence) const = 0;

  // Hypothesis r continues what was hypothesis parents[r] with the token tokens[r]. -> logits [R, V] of the token after it.
  // The caller may overwrite them.
  virtual Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) = 0;
};

// Throws DataError unless the highest log-probability of a row of step() is finite. It is not when a logit is NaN or +infinity, or when all
// are -infinity; single logits of -infinity are tokens that cannot follow.
void require_probabilities(float highest);

}  // namespace attend
