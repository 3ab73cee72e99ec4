// Makes the fast backend use one instruction set for a while.
#pragma once

#include <string>
#include <vector>

#include "attend/backend/instruction_sets.h"

namespace attend {

// Those the kernels are compiled for and this machine has, best first, each with all of its
// extensions, then with one less, until it has none.
inline std::vector<std::string> usable_instruction_sets() {
  std::vector<std::string> sets;
  for (std::string set : instruction_sets().usable) {
    sets.push_back(set);
    for (std::size_t last = set.rfind(" + "); last != std::string::npos; last = set.rfind(" + ")) {
      set.resize(last);
      sets.push_back(set);
    }
  }
  return sets;
}

inline bool has_fma(const std::string& set) {
  return !set.starts_with("SSE2") && !set.starts_with("SSSE3") && !set.starts_with("SSE4") &&
         !set.starts_with("EMU128") && !set.starts_with("SCALAR");
}

class ScopedInstructionSet {
 public:
  explicit ScopedInstructionSet(const std::string& set) : before_(instruction_sets().used) {
    use_instruction_sets(set);
  }
  ~ScopedInstructionSet() { use_instruction_sets(before_); }
  ScopedInstructionSet(const ScopedInstructionSet&) = delete;
  ScopedInstructionSet& operator=(const ScopedInstructionSet&) = delete;

 private:
  std::string before_;
};

}  // namespace attend
