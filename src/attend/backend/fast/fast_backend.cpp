#include "attend/backend/fast/fast_backend.h"

#include <cstdlib>

#include "attend/backend/instruction_sets.h"

namespace attend {

Backend& fast_backend() {
  static FastBackend instance = [] {
    const char* const used = std::getenv("ATTEND_INSTRUCTIONS");
    if (used != nullptr && *used != '\0') use_instruction_sets(used);
    return FastBackend();
  }();
  return instance;
}

}  // namespace attend
