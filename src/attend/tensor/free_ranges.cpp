#include "attend/tensor/free_ranges.h"

#include <iterator>

namespace attend::detail {

void FreeRanges::insert(Range range) {
  if (range.size == 0) return;
  sizes_.emplace(range.begin, range.size);
  by_size_.emplace(range.size, range.begin);
}

void FreeRanges::erase(std::map<std::byte*, std::size_t>::iterator range) {
  by_size_.erase({range->second, range->first});
  sizes_.erase(range);
}

Range FreeRanges::add(Range range) {
  if (range.size == 0) return range;
  const auto next = sizes_.lower_bound(range.begin);
  if (next != sizes_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == range.begin) {
      range = {before->first, before->second + range.size};
      erase(before);
    }
  }
  if (next != sizes_.end() && range.end() == next->first) {
    range.size += next->second;
    erase(next);
  }
  insert(range);
  return range;
}

std::byte* FreeRanges::take(std::size_t size) {
  const auto found = by_size_.lower_bound({size, nullptr});
  if (found == by_size_.end()) return nullptr;
  std::byte* const begin = found->second;
  take_front(begin, size);
  return begin;
}

Range FreeRanges::take_ending_at(std::byte* end) {
  const auto next = sizes_.lower_bound(end);
  if (next == sizes_.begin()) return {};
  const auto before = std::prev(next);
  const Range range{before->first, before->second};
  if (range.end() != end) return {};
  erase(before);
  return range;
}

void FreeRanges::take_front(std::byte* begin, std::size_t size) {
  const auto range = sizes_.find(begin);
  const Range rest{begin + size, range->second - size};
  erase(range);
  insert(rest);
}

std::vector<Range> FreeRanges::all() const {
  std::vector<Range> ranges;
  for (const auto& [begin, size] : sizes_) ranges.push_back({begin, size});
  return ranges;
}

void FreeRanges::clear() {
  sizes_.clear();
  by_size_.clear();
}

}  // namespace attend::detail
