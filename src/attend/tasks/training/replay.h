// Training against forgetting, for all tasks: the weights of old text and of the old model.
#pragma once

#include <string>
#include <vector>

#include "attend/core/options/options.h"

namespace attend {

struct ReplayWeights {
  float weight = 0.5f;
  float distill_weight = 0.0f;
};

template <class Visitor>
void fields(ReplayWeights& o, Visitor&& visit) {
  visit("replay-weight", o.weight, above(0, 1000),
        "batches of old text for each batch of new text");
  visit("distill-weight", o.distill_weight, between(0, 1),
        "share of the loss that distills --teachers, or else the model of --init-from: on the old "
        "text if there is some, otherwise on all text");
}

// Tasks with one text have these.
struct TextReplayOptions : ReplayWeights {
  std::vector<std::string> text;
  std::vector<std::string> valid;
};

template <class Visitor>
void fields(TextReplayOptions& o, Visitor&& visit) {
  visit("replay", o.text,
        "old text to mix into training, against forgetting, in the same form as --train");
  visit("replay-valid", o.valid,
        "old validation text, in the same form as --train, to measure forgetting in every "
        "validation");
  fields(static_cast<ReplayWeights&>(o), visit);
}

// Throws ConfigError for a weight out of range, for a distillation without a model to learn from,
// and for teachers without a weight.
void check_replay(const ReplayWeights& options, bool has_initial_model, bool has_teachers = false);

}  // namespace attend
