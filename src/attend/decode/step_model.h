// What decoding needs of a model: how likely each token is to come next, for a changing set of hypotheses. Any architecture that predicts
// left to right fits.
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

  // Hypothesis r continues what was hypothesis parents[r] with the token tokens[r]. -> log-probabilities [R, K] of the tokens that may come
  // after it, -infinity where there is none.
  virtual Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) = 0;
  // The token of a column in row `row` of the last step; tokens rise with their columns.
  virtual std::int32_t token(std::int64_t row, std::int64_t column) const = 0;
};

// Throws DataError unless the highest log-probability of a row of step() is finite. It is not when a logit is NaN or +infinity, or when all
// are -infinity; single logits of -infinity are tokens that cannot follow.
void require_probabilities(float highest);

}  // namespace attend
