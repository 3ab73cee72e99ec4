// What the parts of a distillation take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace attend {

struct StageCost {
  std::string name;
  double seconds = 0;
  std::int64_t memory_bytes = 0;  // of the process, at most
  std::int64_t disk_bytes = 0;    // of models and checkpoints, at most
};

// The cost of each part, in order, as if none was there yet.
using DistillationCost = std::vector<StageCost>;

}  // namespace attend
