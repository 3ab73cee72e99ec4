#include "attend/server/work/background.h"

#include <utility>

namespace attend {
namespace {

constexpr std::size_t kMostTasks = 16;

}  // namespace

Background::Background()
    : thread_([this] {
        std::unique_lock lock(mutex_);
        for (;;) {
          arrived_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
          if (stopping_) return;
          const std::function<void()> task = std::move(waiting_.front());
          waiting_.pop_front();
          lock.unlock();
          task();
          lock.lock();
        }
      }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  arrived_.notify_one();
  thread_.join();
}

bool Background::run(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostTasks) return false;
  waiting_.push_back(std::move(task));
  arrived_.notify_one();
  return true;
}

void Background::go_on(std::function<void()> rest) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(rest));
  arrived_.notify_one();
}

}  // namespace attend
