// Engines of tasks, and models that several of them share, with the runtime that their calls use.
#pragma once

#include <nanobind/nanobind.h>

#include <filesystem>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "attend/api/entered_runtime.h"
#include "attend/core/option_fields.h"
#include "attend/error.h"
#include "attend/python/keywords.h"
#include "attend/python/released.h"
#include "attend/tasks/model_reading.h"
#include "attend/tasks/shared_base.h"

namespace attend {

// A model in memory, of which adapters and changes of the attention make others.
struct HeldBase {
  SharedBase base;
  std::shared_ptr<Runtime> runtime;  // null: the default one

  // Throws IoError or DataError, ConfigError for a wrong number of threads (0: the default
  // runtime).
  static HeldBase load(const std::filesystem::path& path, int threads) {
    std::shared_ptr<Runtime> runtime = runtime_of(threads);
    const EnteredRuntime entered(runtime);
    return {SharedBase::load(path), std::move(runtime)};
  }
};

// The engine of a model in memory. Throws DataError for a model of another task.
template <class Engine>
Engine engine_of(const SavedModel& model) {
  if constexpr (std::is_constructible_v<Engine, const SavedModel&>) {
    return Engine(model);
  } else {
    using Model = std::remove_cvref_t<decltype(std::declval<const Engine&>().model())>;
    const auto* const own = dynamic_cast<const Model*>(&model);
    if (own == nullptr) throw wrong_task(model.source, Model::kTask, model.task());
    return Engine(*own);
  }
}

// Needs the GIL.
inline AttentionChangeOptions attention_changes_of(const nanobind::dict& keywords) {
  AttentionChangeOptions changes;
  set_keywords(option_fields(changes), keywords);
  return changes;
}

template <class Engine>
struct HeldModel {
  Engine engine;
  std::shared_ptr<Runtime> runtime;

  // keywords: AttentionChangeOptions. Throws IoError or DataError, ConfigError for a wrong number
  // of threads (0: the default runtime) and for changes that do not fit the model. Needs the GIL.
  static HeldModel load(const std::filesystem::path& path, int threads,
                        const nanobind::dict& keywords) {
    const AttentionChangeOptions changes = attention_changes_of(keywords);
    const Released released;
    std::shared_ptr<Runtime> runtime = runtime_of(threads);
    const EnteredRuntime entered(runtime);
    return {changes == AttentionChangeOptions{} ? Engine::load(path)
                                                : engine_of<Engine>(*load_model(path, changes)),
            std::move(runtime)};
  }

  // The model of a base, with an adapter or with changes of its attention. It shares the weights
  // that these leave as they are. adapter: a file or the folder of a run; empty: none. Throws like
  // load(), and ConfigError for both. Needs the GIL.
  static HeldModel sharing(const HeldBase& held, const std::filesystem::path& adapter,
                           const nanobind::dict& keywords) {
    const AttentionChangeOptions options = attention_changes_of(keywords);
    const Released released;
    const EnteredRuntime entered(held.runtime);
    const std::vector<AttentionChange> changes = attention_changes(options);
    if (!adapter.empty() && !changes.empty())
      throw ConfigError("heads_off, attention_beta: expected no adapter beside them");
    if (!adapter.empty())
      return {engine_of<Engine>(*held.base.with_adapter(adapter)), held.runtime};
    if (changes.empty()) return {engine_of<Engine>(*held.base.model()), held.runtime};
    return {engine_of<Engine>(*held.base.with_attention(changes)), held.runtime};
  }
};

}  // namespace attend
