// A table of constants by position that grows when a longer text needs it, such as sinusoids.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <mutex>

#include "attend/tensor/tensor.h"

namespace attend {

// Several threads may decode with one model, so they may ask at the same time.
class GrowingTable {
 public:
  // make(length): a table on the host for positions 0 to length - 1.
  using Make = std::function<Tensor(std::int64_t length)>;

  // A table for at least `length` positions, on the device.
  Tensor at_least(std::int64_t length, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (length_ < length) {
      length_ = static_cast<std::int64_t>(
          std::bit_ceil(static_cast<std::uint64_t>(std::max(length, kShortest))));
      const Tensor made = make(length_);
      table_ = made.memory() == &current_memory() ? made : made.clone();
    }
    return table_;
  }

 private:
  static constexpr std::int64_t kShortest = 64;

  std::mutex mutex_;
  std::int64_t length_ = 0;
  Tensor table_;
};

}  // namespace attend
