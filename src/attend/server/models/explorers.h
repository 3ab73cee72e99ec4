// What people explore (inspect/explorer.h) of the models that serve.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "attend/inspect/explorer.h"
#include "attend/runtime.h"
#include "attend/server/models/served_model.h"
#include "attend/server/work/background.h"

namespace attend {

class Explorers {
 public:
  // Models whose last changes are kept in memory: those that people compare.
  static constexpr std::size_t kMostModels = 2;

  // Computes on `runtime`; not at all unless `enabled`.
  Explorers(std::shared_ptr<Runtime> runtime, bool enabled)
      : runtime_(std::move(runtime)), enabled_(enabled) {}

  // Throws HttpError 403 if the explorer is switched off.
  void require_enabled() const;
  // Runs `task`, which must not throw, on the thread of the explorers, after those before it.
  // Throws HttpError 503 if too many wait, 403 if the explorer is switched off.
  void run(std::function<void()> task);
  // For such a task that goes on: runs the rest of it after those that wait.
  void go_on(std::function<void()> rest);

  // The explorer of a model, for a task. Those of other models than the last two forget their
  // changes.
  std::shared_ptr<const Explorer> of(const ServedModel& model);

 private:
  // Within the runtime.
  std::function<void()> there(std::function<void()> task) const;

  const std::shared_ptr<Runtime> runtime_;
  const bool enabled_;
  std::mutex mutex_;
  std::vector<std::weak_ptr<const Explorer>> last_;  // the last one asked for comes last
  Background thread_;                                // ends first
};

}  // namespace attend
