// The record of its training that a finished model carries, under kTrainingNote
// (checkpoint/training_note.h).
#pragma once

#include <cstdint>
#include <string>

#include "attend/train/objective.h"

namespace attend {

struct TrainingNote {
  std::int64_t step = 0;
  std::int64_t epoch = 0;                  // from 1
  const Validation* validation = nullptr;  // that chose the model; null: none
  int averaged = 0;                        // number of averaged checkpoints
};

// As JSON.
std::string to_json(const TrainingNote& note);

}  // namespace attend
