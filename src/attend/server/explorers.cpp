#include "attend/server/explorers.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "attend/core/quote.h"
#include "attend/core/runtime.h"
#include "attend/server/http/message.h"

namespace attend {

void Explorers::run(std::function<void()> task) {
  const bool taken = thread_.run([runtime = runtime_, task = std::move(task)] {
    std::optional<RuntimeScope> scope;
    if (runtime) scope.emplace(runtime);
    task();
  });
  if (!taken) throw HttpError{503, "too many requests of explorers wait", 1};
}

std::shared_ptr<const Explorer> Explorers::of(const ServedModel& model) {
  if (!model.adapter.empty())
    throw HttpError{400, fmt::format("{} has an adapter; attend merge makes one model of both, "
                                     "which can be explored",
                                     quote(model.name))};
  const std::lock_guard lock(mutex_);
  if (!last_.explorer || last_.path != model.path || last_.state != model.state) {
    if (file_state({.path = model.path}) != model.state)
      throw HttpError{
          503, fmt::format("{}: the file was written again; reload the models", model.path), 5};
    last_ = {};  // its memory is free before the next takes more
    last_ = {model.path, model.state, Explorer::load(model.path)};
  }
  return last_.explorer;
}

}  // namespace attend
