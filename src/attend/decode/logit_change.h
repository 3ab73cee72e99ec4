// How logits are changed before the next token of a hypothesis is chosen: the one way in which
// rules act on what a model finds likely.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/tensor/tensor.h"

namespace attend {

class Scorer;

struct LogitChange {
  std::vector<std::int32_t> banned = {};     // tokens that cannot come next
  std::vector<std::int32_t> penalized = {};  // distinct tokens, whose logits the penalty divides
  float penalty = 1.0f;                      // or multiplies where they are negative

  // Whether it may change a logit.
  bool changes() const { return !banned.empty() || penalty != 1.0f; }
};

// Changes the logits of the hypotheses of the last step from `begin`, of which each has a change.
// Returns whether any logit changed.
bool change_logits(std::span<const LogitChange> changes, std::int64_t begin, const Scorer& scorer,
                   const Tensor& logits);

}  // namespace attend
