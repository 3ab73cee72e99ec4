// The parameters that an optimizer updates, in parts with learning rates of their own.
#pragma once

#include <functional>
#include <vector>

#include "attend/nn/parameters/parameters.h"

namespace attend {

// Neighbors in the flat buffers.
struct ParameterGroup {
  ParameterRange range;
  float learning_rate = 1.0f;  // a factor
};

// The factor of the learning rate of each parameter: decay^d for one that is d levels below the top
// (Howard & Ruder 2018, "Universal Language Model Fine-tuning"). A level is what is declared before
// the first layer, each layer, and what comes after the last.
std::vector<float> layer_factors(const ParameterSet& parameters, float decay);

// The trained parameters for which `is_member` holds; all of them without it. Neighbors with one
// factor are one group.
std::vector<ParameterGroup> parameter_groups(
    const ParameterSet& parameters, float layer_decay = 1.0f,
    const std::function<bool(const ParameterSet::Entry&)>& is_member = {});

// One of `count` parts of about equal cost; together they are everything.
struct Shard {
  int index = 0, count = 1;
};

// The part of the groups that falls to a shard. Parts have equally many parameters up to `unit`,
// and a group is cut only at a multiple of `unit` from its begin.
std::vector<ParameterGroup> shard_of(const std::vector<ParameterGroup>& groups, const Shard& shard,
                                     std::int64_t unit);

std::vector<ParameterRange> ranges_of(const std::vector<ParameterGroup>& groups);

}  // namespace attend
