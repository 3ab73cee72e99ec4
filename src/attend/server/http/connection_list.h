// The open connections of a server.
#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <mutex>

namespace attend {

// All functions may be called from any thread.
class ConnectionList {
 public:
  struct Entry {
    std::function<void()> close;  // ends the connection soon, from any thread
    bool idle = true;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  };
  using Place = std::list<Entry>::iterator;

  Place add(std::function<void()> close);
  void remove(Place place);
  void set_idle(Place place, bool idle);
  int size() const;

  // Closes the connection that has waited longest for a request. Returns whether there is one.
  bool close_longest_idle();
  void close_idle();
  void close_all();

 private:
  void close_those(bool (*wanted)(const Entry&));

  mutable std::mutex mutex_;
  std::list<Entry> entries_;
};

}  // namespace attend
