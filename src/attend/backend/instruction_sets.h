// The instruction sets of the fast kernels, for people.
#pragma once

#include <string>
#include <vector>

namespace attend {

struct InstructionSets {
  std::vector<std::string> built;  // those that kernels are compiled for, best first
  std::string
      used;  // the one that runs on this processor, with what it has besides: "AVX3 + VNNI + BF16"
};

InstructionSets instruction_sets();

}  // namespace attend
