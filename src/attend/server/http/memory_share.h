// The share of one request in the memory that all requests in progress may take.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace attend {

// Bytes of all shares together. Several threads may use one at once.
struct MemoryBudget {
  explicit MemoryBudget(std::size_t m) : most(m) {}

  const std::size_t most;
  std::atomic<std::size_t> taken{0};
};

// Used by one thread at a time.
class MemoryShare {
 public:
  explicit MemoryShare(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  ~MemoryShare() { give_back(); }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  // Return false if all together take too much.
  bool set_to(std::size_t bytes) {
    budget_->taken += bytes - own_;  // unsigned numbers wrap
    own_ = bytes;
    return budget_->taken <= budget_->most;
  }
  bool grow_to(std::size_t bytes) { return set_to(std::max(own_, bytes)); }
  void give_back() { set_to(0); }

 private:
  const std::shared_ptr<MemoryBudget> budget_;
  std::size_t own_ = 0;
};

}  // namespace attend
