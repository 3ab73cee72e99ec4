// Ends a training after a step.
#pragma once

#include <atomic>
#include <cstdint>

#include "attend/train/listener.h"

namespace attend {

struct StopAtStep final : TrainingListener {
  explicit StopAtStep(std::int64_t step) : at(step) {}  // -1: none
  void on_step(const StepEvent& e) override { flag = e.step == at; }

  std::int64_t at;
  std::atomic<bool> flag = false;
};

}  // namespace attend
