// A sample of bounded size, drawn from a stream of unknown length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "attend/core/random/random.h"

namespace attend {

// Each item of the stream is in the sample with the same probability (algorithm R, Vitter 1985). A
// function of the key and the items. While the stream is no longer than the sample, the sample is
// the stream, in its order.
template <class Item>
class ReservoirSample {
 public:
  ReservoirSample(std::int64_t capacity, RandomKey key) : capacity_(capacity), random_(key) {}

  void add(Item item) {
    ++seen_;
    if (std::ssize(items_) < capacity_) {
      items_.push_back(std::move(item));
      return;
    }
    const std::uint64_t place = random_.below(static_cast<std::uint64_t>(seen_));
    if (place < items_.size()) items_[place] = std::move(item);
  }

  std::int64_t seen() const { return seen_; }
  // The sample. After the last item.
  std::vector<Item> take() { return std::move(items_); }

 private:
  std::int64_t capacity_;
  Random random_;
  std::int64_t seen_ = 0;
  std::vector<Item> items_;
};

}  // namespace attend
