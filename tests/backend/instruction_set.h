// Makes the fast backend use one instruction set for a while. The only test code that knows
// Highway.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/backend/fast/targets.h"
// must come after
#include "hwy/targets.h"

namespace attend {

// Those the kernels are compiled for and this machine has, best first.
inline std::vector<std::int64_t> instruction_sets() { return hwy::SupportedAndGeneratedTargets(); }

inline bool has_fma(std::int64_t set) {
  return (set & (HWY_SSSE3 | HWY_SSE4 | HWY_EMU128 | HWY_SCALAR)) == 0;
}

class ScopedInstructionSet {
 public:
  explicit ScopedInstructionSet(std::int64_t set) { choose(set); }
  ~ScopedInstructionSet() { choose(0); }
  ScopedInstructionSet(const ScopedInstructionSet&) = delete;
  ScopedInstructionSet& operator=(const ScopedInstructionSet&) = delete;

 private:
  static void choose(std::int64_t set) {
    hwy::SetSupportedTargetsForTest(set);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

}  // namespace attend
