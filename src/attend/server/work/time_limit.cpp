#include "attend/server/work/time_limit.h"

#include <algorithm>

namespace attend {
namespace {

constexpr std::size_t kFewExchanges = 256;

}  // namespace

TimeLimit::TimeLimit(double seconds) : seconds_(seconds), sweep_at_(kFewExchanges) {
  if (seconds > 0) thread_ = std::thread([this] { run(); });
}

TimeLimit::~TimeLimit() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void TimeLimit::watch(const std::shared_ptr<Exchange>& exchange) {
  if (seconds_ == 0) return;
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_));
  const std::lock_guard lock(mutex_);
  if (watched_.size() >= sweep_at_) {
    std::erase_if(watched_, [](const Watched& one) { return one.exchange.expired(); });
    sweep_at_ = std::max(kFewExchanges, 2 * watched_.size());
  }
  watched_.push_back({Clock::now() + limit, exchange});
  changed_.notify_one();
}

void TimeLimit::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (watched_.empty()) {
      changed_.wait(lock);
    } else if (watched_.front().end > Clock::now()) {
      changed_.wait_until(lock, watched_.front().end);
    } else {
      const std::shared_ptr<Exchange> exchange = watched_.front().exchange.lock();
      watched_.pop_front();
      lock.unlock();
      if (exchange) exchange->expire();
      lock.lock();
    }
  }
}

}  // namespace attend
