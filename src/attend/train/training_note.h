// What a finished model says of its training, under kTrainingNote (checkpoint/training_note.h).
#pragma once

#include <cstdint>
#include <string>

#include "attend/train/objective.h"

namespace attend {

struct TrainingNote {
  std::int64_t step = 0;
  std::int64_t epoch = 0;                  // from 1
  const Validation* validation = nullptr;  // that chose the model; null where there is none
  int averaged = 0;                        // checkpoints that it is the mean of
};

// As JSON.
std::string to_json(const TrainingNote& note);

}  // namespace attend
