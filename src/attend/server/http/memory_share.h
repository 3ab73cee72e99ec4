// The share of one request in the memory that all requests in progress may take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace attend {

// Used by one thread at a time; several shares may use `all` at once.
class MemoryShare {
 public:
  MemoryShare(std::atomic<std::size_t>& all, std::size_t most) : all_(all), most_(most) {}
  ~MemoryShare() { give_back(); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Returns false if all requests together take too much.
  bool grow_to(std::size_t bytes) {
    if (bytes > own_) all_ += bytes - own_;
    own_ = std::max(own_, bytes);
    return all_ <= most_;
  }
  void give_back() { all_ -= std::exchange(own_, 0); }

 private:
  std::atomic<std::size_t>& all_;
  std::size_t most_;
  std::size_t own_ = 0;
};

}  // namespace attend
