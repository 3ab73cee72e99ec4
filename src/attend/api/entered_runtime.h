// The runtime that an object of the public face was made with, current for as long as a call of it
// lasts.
#pragma once

#include <memory>
#include <optional>

#include "attend/core/runtime.h"

namespace attend {

class EnteredRuntime {
 public:
  // Null: whatever is current stays so.
  explicit EnteredRuntime(const std::shared_ptr<Runtime>& runtime) {
    if (runtime) scope_.emplace(runtime);
  }

 private:
  std::optional<RuntimeScope> scope_;
};

}  // namespace attend
