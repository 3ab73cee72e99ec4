// A task made ready for a Trainer: what prepare_translation and its siblings return.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "attend/checkpoint/checkpoint.h"
#include "attend/train/objective.h"

namespace attend {

struct TrainingTask {
  std::string name;  // of `attend train`: "translation", "lm", "classification"
  std::unique_ptr<Objective> objective;
  int d_model = 0;
  std::function<void(Checkpoint&)> describe_model;  // adds what makes a checkpoint a model to use: configuration, tokenizers
  std::vector<std::string> notes;                   // what was read and made, a line each, for people
};

// The paths of `files`, which stand in `folder`.
std::vector<std::string> in_folder(const std::string& folder, std::vector<std::string> files);

// Throws ConfigError when what `resumed` was made with is not what is asked for `now`: the shape of a model is settled by its first
// checkpoint.
void require_same_model(const Checkpoint& resumed, const std::string& before, const std::string& now);

}  // namespace attend
