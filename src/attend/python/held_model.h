// An engine of tasks with the runtime that its calls use.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>

#include "attend/api/entered_runtime.h"
#include "attend/core/option_fields.h"
#include "attend/python/keywords.h"
#include "attend/tasks/model_reading.h"
#include "attend/tasks/shared_base.h"

namespace attend {

// The engine of a model whose attention is changed. Throws like load_model(), and DataError for a
// model of another task.
template <class Engine>
Engine changed_engine(const std::filesystem::path& path, const AttentionChangeOptions& changes) {
  const std::unique_ptr<SavedModel> model = load_model(path, changes);
  if constexpr (std::is_constructible_v<Engine, const SavedModel&>) {
    return Engine(*model);
  } else {
    using Model = std::remove_cvref_t<decltype(std::declval<const Engine&>().model())>;
    const auto* const own = dynamic_cast<const Model*>(model.get());
    if (own == nullptr) throw wrong_task(model->source, Model::kTask, model->task());
    return Engine(*own);
  }
}

template <class Engine>
struct HeldModel {
  Engine engine;
  std::shared_ptr<Runtime> runtime;  // null: the default one

  // keywords: AttentionChangeOptions. Throws IoError or DataError, ConfigError for a wrong number
  // of threads (0: the default runtime) and for changes that do not fit the model. Needs the GIL.
  static HeldModel load(const std::filesystem::path& path, int threads,
                        const nanobind::dict& keywords) {
    AttentionChangeOptions changes;
    set_keywords(option_fields(changes), keywords);
    const nanobind::gil_scoped_release released;
    std::shared_ptr<Runtime> runtime = runtime_of(threads);
    const EnteredRuntime entered(runtime);
    return {changes == AttentionChangeOptions{} ? Engine::load(path)
                                                : changed_engine<Engine>(path, changes),
            std::move(runtime)};
  }
};

}  // namespace attend
