// The instruction sets of the fast kernels.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct InstructionSets {
  std::vector<std::string> built;  // in the binary, best first
  // What the CPU has, with its extensions: "AVX3 + VNNI + BF16", "AVX2"
  std::vector<std::string> usable;
  std::string used;  // the first of these, or what use_instruction_sets() has named
};

InstructionSets instruction_sets();

// Makes the fast kernels use one of InstructionSets::usable, with all or some of its extensions, as
// the environment variable ATTEND_INSTRUCTIONS does from the start. Not while kernels run. Throws
// ConfigError, and changes nothing, if the binary or the CPU lacks one.
void use_instruction_sets(std::string_view used);

}  // namespace attend
