#include "attend/server/explorers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/core/quote.h"
#include "attend/core/runtime.h"
#include "attend/server/http/message.h"

namespace attend {

std::function<void()> Explorers::there(std::function<void()> task) const {
  return [runtime = runtime_, task = std::move(task)] {
    std::optional<RuntimeScope> scope;
    if (runtime) scope.emplace(runtime);
    task();
  };
}

void Explorers::require_enabled() const {
  if (!enabled_)
    throw HttpError{403, "the explorer is off: the server was started with --no-explorer"};
}

void Explorers::run(std::function<void()> task) {
  require_enabled();
  if (!thread_.run(there(std::move(task))))
    throw HttpError{503, "too many explorer requests are waiting", 1};
}

void Explorers::go_on(std::function<void()> rest) { thread_.go_on(there(std::move(rest))); }

std::shared_ptr<const Explorer> Explorers::of(const ServedModel& model) {
  if (!model.place.adapter.empty())
    throw HttpError{
        400, fmt::format("{} has an adapter; merge the two with attend merge to explore the model",
                         quote(model.name))};
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(last_.begin(), last_.end(), [&](const Loaded& loaded) {
    return loaded.path == model.place.path && loaded.state == model.state;
  });
  if (found != last_.end()) {
    std::rotate(found, found + 1, last_.end());
    return last_.back().explorer;
  }
  if (file_state({.path = model.place.path}) != model.state)
    throw HttpError{
        503, fmt::format("{}: the file has changed; reload the models", model.place.path), 5};
  // Their memory is free before the next takes more.
  std::erase_if(last_, [&](const Loaded& loaded) { return loaded.path == model.place.path; });
  if (last_.size() == kMostModels) last_.erase(last_.begin());
  last_.push_back({model.place.path, model.state, Explorer::load(model.place.path)});
  return last_.back().explorer;
}

}  // namespace attend
