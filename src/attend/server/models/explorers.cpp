#include "attend/server/models/explorers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "attend/core/threads/runtime.h"
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
  const std::shared_ptr<const Explorer> explorer = model.loaded().explorer;
  const std::lock_guard lock(mutex_);
  std::erase_if(last_, [&](const auto& one) {
    const std::shared_ptr<const Explorer> other = one.lock();
    return !other || other == explorer;
  });
  last_.push_back(explorer);
  if (last_.size() > kMostModels) {
    if (const auto oldest = last_.front().lock()) oldest->forget_changes();
    last_.erase(last_.begin());
  }
  return explorer;
}

}  // namespace attend
