// What each attention head does for an answer: how much less likely the answer is without it
// (Michel, Levy and Neubig 2019).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "attend/tasks/shared_base.h"

namespace attend {

struct HeadEffect {
  std::string module;  // "decoder.layers.0.cross_attn"
  int head = 0;
  float change = 0;  // of the answer's log-probability when the head is off: below 0, it helps
};

// The effect of every head on an answer, module by module. `input` and `output`: those of
// SavedModel::golden_outputs(), which must be log-probabilities. Each head costs a pass over the
// input; `done` is called after each. Throws ConfigError for a model without heads.
std::vector<HeadEffect> head_effects(const SharedBase& base, const GoldenInput& input,
                                     std::size_t output, const std::function<void()>& done = {});

}  // namespace attend
