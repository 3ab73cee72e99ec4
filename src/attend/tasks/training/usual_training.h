// A task as `attend train` has it before any option is set.
#pragma once

#include <memory>
#include <string>

#include "attend/tasks/training/presets.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

// Default options, those of kUsualPreset. `Options`: as for TrainableWith.
template <class Options>
std::unique_ptr<Trainable> usual_training() {
  auto made = std::make_unique<TrainableWith<Options>>();
  apply_preset(kUsualPreset, made->name(), made->option_groups(),
               [](const std::string&) { return false; });
  return made;
}

}  // namespace attend
