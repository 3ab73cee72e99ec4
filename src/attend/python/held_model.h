// An engine of tasks with the runtime that its calls use.
#pragma once

#include <filesystem>
#include <memory>
#include <utility>

#include "attend/api/entered_runtime.h"
#include "attend/python/keywords.h"

namespace attend {

template <class Engine>
struct HeldModel {
  Engine engine;
  std::shared_ptr<Runtime> runtime;  // null: the default one

  // Throws IoError or DataError, ConfigError for a wrong number of threads (0: the default
  // runtime).
  static HeldModel load(const std::filesystem::path& path, int threads) {
    std::shared_ptr<Runtime> runtime = runtime_of(threads);
    const EnteredRuntime entered(runtime);
    return {Engine::load(path), std::move(runtime)};
  }
};

}  // namespace attend
