// Work that takes long and is rare, such as loading a model, on one thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace attend {

class Background {
 public:
  Background();
  ~Background();  // finishes the task in progress; the rest is not begun
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Runs `task`, which must not throw, after those before it. Returns false if too many wait.
  bool run(std::function<void()> task);
  // For a task that goes on: runs the rest of it after all that wait, however many these are.
  void go_on(std::function<void()> rest);

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace attend
