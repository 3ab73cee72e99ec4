// What differs between two models beside their parameters.
#pragma once

#include <string>
#include <vector>

#include "attend/checkpoint/safetensors/safetensors.h"

namespace attend {

// The settings of a model of `ours` that `theirs`, from another program, does not have or has with
// another value: "norm-first is true instead of false". Options that matter in training only and
// those without effect beside the others do not count. Both are SavedModel::configuration().
std::vector<std::string> setting_differences(const Metadata& ours, const Metadata& theirs);

// Options of a Transformer with values that only directories of transformers can express, as
// "sublayers is parallel". Other programs have no tensors or settings for them.
std::vector<std::string> options_of_transformers_alone(const Metadata& settings);

}  // namespace attend
