#include "attend/nn/time_steps.h"

#include <algorithm>
#include <numeric>

namespace attend {

TimeSteps::TimeSteps(std::span<const std::int32_t> offsets, TimeDirection direction) {
  const std::size_t count = offsets.size() - 1;
  std::vector<std::int32_t> sequences(count);
  std::iota(sequences.begin(), sequences.end(), 0);
  const auto begin = [&](std::int32_t s) { return offsets[static_cast<std::size_t>(s)]; };
  const auto end = [&](std::int32_t s) { return offsets[static_cast<std::size_t>(s) + 1]; };
  std::stable_sort(sequences.begin(), sequences.end(), [&](std::int32_t a, std::int32_t b) {
    return end(a) - begin(a) > end(b) - begin(b);
  });

  std::vector<std::int32_t> order, inverse(static_cast<std::size_t>(offsets.back()));
  order.reserve(inverse.size());
  begin_.push_back(0);
  for (std::int32_t t = 0; order.size() < inverse.size(); ++t) {
    for (const std::int32_t s : sequences) {
      if (t >= end(s) - begin(s)) break;
      const std::int32_t row = direction == TimeDirection::forward ? begin(s) + t : end(s) - 1 - t;
      inverse[static_cast<std::size_t>(row)] = static_cast<std::int32_t>(order.size());
      order.push_back(row);
    }
    begin_.push_back(static_cast<std::int64_t>(order.size()));
  }
  order_ = std::move(order);
  inverse_ = std::move(inverse);
  sequences_ = std::move(sequences);
}

}  // namespace attend
