// Describes the instruction sets of the fast kernels.
#pragma once

#include <string>
#include <vector>

namespace attend {

struct InstructionSets {
  std::vector<std::string> built;  // in the binary, best first
  // The one in use on this CPU, with its extensions: "AVX3 + VNNI + BF16"
  std::string used;
};

InstructionSets instruction_sets();

}  // namespace attend
