#include "attend/server/downloads.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace attend {
namespace {

constexpr std::chrono::minutes kKept{10};

}  // namespace

std::string Downloads::add(std::string content, std::string type, std::string_view extension,
                           Time now) {
  std::random_device random;
  const std::string name =
      fmt::format("{:08x}{:08x}{:08x}{:08x}{}", random(), random(), random(), random(), extension);
  const std::lock_guard lock(mutex_);
  drop_old(now);
  bytes_ += content.size();
  kept_.push_back({{name, std::move(type), std::move(content)}, now + kKept});
  for (; bytes_ > most_ && kept_.size() > 1; kept_.pop_front())
    bytes_ -= kept_.front().file.content.size();
  return name;
}

std::optional<Download> Downloads::find(std::string_view name, Time now) {
  const std::lock_guard lock(mutex_);
  drop_old(now);
  const auto found = std::find_if(kept_.begin(), kept_.end(),
                                  [&](const Kept& one) { return one.file.name == name; });
  return found == kept_.end() ? std::nullopt : std::optional(found->file);
}

void Downloads::drop_old(Time now) {
  for (; !kept_.empty() && kept_.front().until <= now; kept_.pop_front())
    bytes_ -= kept_.front().file.content.size();
}

}  // namespace attend
