// Incremental decoding with an encoder-decoder.
#pragma once

#include <cstdint>
#include <span>

#include "attend/nn/ragged.h"
#include "attend/tensor/tensor.h"

namespace attend {

// R hypotheses, each of which has read some tokens. The model must outlive it.
class DecodingState {
 public:
  virtual ~DecodingState() = default;
  virtual std::int64_t hypotheses() const = 0;

  // Encodes sources. Each gets a hypothesis that has read nothing, after the others. Throws
  // ShapeError for tokens that do not exist and DataError past learned positions; the state is then
  // unchanged.
  virtual void join(const Ragged& src) = 0;

  // Hypothesis r continues the former hypothesis parents[r] with the tokens of sequence r, of which
  // every model can read one at a time -> hidden states [N, D] of these N tokens, from which the
  // model's project() computes the next token's logits. The number of hypotheses may change. No
  // gradients. Throws ShapeError for parents or tokens that do not exist and DataError past learned
  // positions; the state is then unchanged.
  virtual Tensor advance(std::span<const std::int32_t> parents, const Ragged& tokens) = 0;
  // The same with one token each.
  Tensor step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens);
};

// Throws ShapeError unless parents are below `hypotheses`.
void check_parents(std::int64_t hypotheses, std::span<const std::int32_t> parents);
// The same, and unless there is a token for every parent.
void check_step(std::int64_t hypotheses, std::span<const std::int32_t> parents,
                std::span<const std::int32_t> tokens);

}  // namespace attend
