// Free ranges of memory, merged with their neighbors. Private to tensor/.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace attend::detail {

struct Range {
  std::byte* begin = nullptr;
  std::size_t size = 0;

  std::byte* end() const { return begin + size; }
};

class FreeRanges {
 public:
  // Must not overlap existing ranges. Ignores empty ranges. Returns the range that this one is part
  // of now.
  Range add(Range range);
  // Takes `size` bytes from the front of the smallest range that fits, the first in memory among
  // equal ones. nullptr if none fits.
  std::byte* take(std::size_t size);
  // Takes the whole range that ends at `end`, or an empty one if there is none.
  Range take_ending_at(std::byte* end);
  // Takes the front of the range that begins at `begin`, which must be large enough.
  void take_front(std::byte* begin, std::size_t size);

  std::vector<Range> all() const;  // in memory order
  void clear();

 private:
  void insert(Range range);
  void erase(std::map<std::byte*, std::size_t>::iterator range);

  std::map<std::byte*, std::size_t> sizes_;  // by start address
  std::set<std::pair<std::size_t, std::byte*>> by_size_;
};

}  // namespace attend::detail
