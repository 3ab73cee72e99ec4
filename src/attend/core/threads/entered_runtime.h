// Makes the runtime of a public object current during one of its calls.
#pragma once

#include <memory>
#include <optional>

#include "attend/core/threads/runtime.h"

namespace attend {

class EnteredRuntime {
 public:
  // Null: keeps the current one.
  explicit EnteredRuntime(const std::shared_ptr<Runtime>& runtime) {
    if (runtime) scope_.emplace(runtime);
  }

 private:
  std::optional<RuntimeScope> scope_;
};

}  // namespace attend
