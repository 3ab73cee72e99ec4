// Decoding in progress, of any model that predicts left to right.
#pragma once

#include <cstdint>
#include <span>

#include "attend/tensor/tensor.h"

namespace attend {

// R hypotheses, each of which has read some tokens. The model must outlive it.
class DecodingState {
 public:
  virtual ~DecodingState() = default;
  virtual std::int64_t hypotheses() const = 0;

  // Hypothesis r continues what was hypothesis parents[r] with token tokens[r] -> hidden states [R,
  // D], which the model's project() turns into the logits of the token after it. There may be more
  // or fewer hypotheses than before. No gradients. For parents or tokens that do not exist it
  // throws ShapeError, past learned positions DataError, and stays as it was.
  virtual Tensor step(std::span<const std::int32_t> parents,
                      std::span<const std::int32_t> tokens) = 0;
};

// Throws ShapeError unless there is a token for every parent, and parents are among `hypotheses`.
void check_step(std::int64_t hypotheses, std::span<const std::int32_t> parents,
                std::span<const std::int32_t> tokens);

}  // namespace attend
