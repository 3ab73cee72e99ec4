// What each attention head does for an answer: how much less likely the answer is without it
// (Michel, Levy and Neubig 2019).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "attend/tasks/loaded_model.h"

namespace attend {

struct HeadEffect {
  std::string module;  // "decoder.layers.0.cross_attn"
  int head = 0;
  float change = 0;  // of the answer's log-probability when the head is off: below 0, it helps
};

// Switches off one head at a time, to see its effect on an answer.
class HeadTrials {
 public:
  // `input` and `output`: those of SavedModel::golden_outputs(), which must be log-probabilities.
  // `changes` stay in effect. `base` must live as long. Throws ConfigError for a model without
  // heads, and like changed_attention().
  HeadTrials(const LoadedModel& base, GoldenInput input, std::size_t output,
             AttentionChanges changes = {});

  // The heads of all modules.
  std::size_t size() const { return heads_.size(); }
  // Measures the head with this number, counted module by module. Costs a pass over the input.
  HeadEffect effect(std::size_t number) const;

 private:
  float answer(const SavedModel& model) const;

  const LoadedModel& base_;
  GoldenInput input_;
  std::size_t output_;
  AttentionChanges changes_;
  std::vector<std::pair<std::string, int>> heads_;  // with their modules
  float whole_;                                     // the log-probability with all heads
};

// The effects of all heads. `done` is called after each.
std::vector<HeadEffect> head_effects(const LoadedModel& base, const GoldenInput& input,
                                     std::size_t output, const std::function<void()>& done = {});

}  // namespace attend
