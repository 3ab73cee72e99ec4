#include "attend/collective/background_sum.h"

#include <algorithm>
#include <utility>

namespace attend {

BackgroundSum::BackgroundSum(std::int64_t size, std::int64_t bucket, Sum sum)
    : size_(size),
      bucket_(bucket),
      sum_(std::move(sum)),
      missing_(static_cast<std::size_t>((size + bucket - 1) / bucket)) {
  thread_ = std::thread([this, device = Runtime::current().device()] { run(device); });
}

BackgroundSum::~BackgroundSum() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::int64_t BackgroundSum::end_of(std::int64_t bucket) const { return size_ - bucket * bucket_; }

std::int64_t BackgroundSum::begin_of(std::int64_t bucket) const {
  return std::max<std::int64_t>(0, end_of(bucket + 1));
}

void BackgroundSum::start() {
  for (std::int64_t bucket = 0; bucket < buckets(); ++bucket)
    missing_[static_cast<std::size_t>(bucket)] = end_of(bucket) - begin_of(bucket);
  const std::lock_guard lock(mutex_);
  ready_ = summed_ = 0;
  failure_ = nullptr;
}

void BackgroundSum::complete(std::int64_t begin, std::int64_t end) {
  std::int64_t ready = 0;
  for (std::int64_t bucket = 0; bucket < buckets(); ++bucket) {
    std::int64_t& missing = missing_[static_cast<std::size_t>(bucket)];
    missing -= std::max<std::int64_t>(
        0, std::min(end, end_of(bucket)) - std::max(begin, begin_of(bucket)));
    if (missing == 0 && ready == bucket) ++ready;
  }
  set_ready(ready);
}

void BackgroundSum::set_ready(std::int64_t count) {
  const std::lock_guard lock(mutex_);
  if (count <= ready_) return;
  ready_ = count;
  changed_.notify_all();
}

void BackgroundSum::finish() {
  set_ready(buckets());
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return summed_ == buckets(); });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void BackgroundSum::run(const Device& device) {
  const RuntimeScope scope(RuntimeOptions{.threads = 1, .device = device});
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || summed_ < ready_; });
    if (ends_) return;
    const std::int64_t bucket = summed_;
    if (!failure_) {
      lock.unlock();
      std::exception_ptr failure;
      try {
        sum_(begin_of(bucket), end_of(bucket));
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
    }
    ++summed_;
    changed_.notify_all();
  }
}

}  // namespace attend
