#include "attend/server/http/connection_list.h"

#include <utility>
#include <vector>

namespace attend {

ConnectionList::Place ConnectionList::add(std::function<void()> close) {
  const std::lock_guard lock(mutex_);
  return entries_.insert(entries_.end(), {.close = std::move(close)});
}

void ConnectionList::remove(Place place) {
  const std::lock_guard lock(mutex_);
  entries_.erase(place);
}

void ConnectionList::set_idle(Place place, bool idle) {
  const std::lock_guard lock(mutex_);
  place->idle = idle;
  place->since = std::chrono::steady_clock::now();
}

int ConnectionList::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(entries_.size());
}

bool ConnectionList::close_longest_idle() {
  std::function<void()> close;
  {
    const std::lock_guard lock(mutex_);
    Entry* oldest = nullptr;
    for (Entry& entry : entries_)
      if (entry.idle && (oldest == nullptr || entry.since < oldest->since)) oldest = &entry;
    if (oldest == nullptr) return false;
    oldest->idle = false;  // the next call finds another
    close = oldest->close;
  }
  close();
  return true;
}

void ConnectionList::close_idle() {
  close_those([](const Entry& entry) { return entry.idle; });
}

void ConnectionList::close_all() {
  close_those([](const Entry&) { return true; });
}

// Calls without the lock: the connection may end meanwhile, and the call be the last that holds it.
void ConnectionList::close_those(bool (*wanted)(const Entry&)) {
  std::vector<std::function<void()>> calls;
  {
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (wanted(entry)) calls.push_back(entry.close);
  }
  for (const std::function<void()>& close : calls) close();
}

}  // namespace attend
