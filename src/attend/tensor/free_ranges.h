// Free ranges of memory, as large as they can be: what is added joins its neighbors. Private to
// tensor/.
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
  // Must not overlap what is there. Ranges of no size are none.
  void add(Range range);
  // Cuts `size` bytes from the front of the smallest range that has so many; of equal ones the
  // first in memory. nullptr when none has.
  std::byte* take(std::size_t size);
  // Takes the range that ends at `end` whole; one of no size when there is none.
  Range take_ending_at(std::byte* end);
  // Cuts the front of the range that begins at `begin`, which must have so many bytes.
  void take_front(std::byte* begin, std::size_t size);

  std::vector<Range> all() const;  // in the order of memory
  void clear();

 private:
  void insert(Range range);
  void erase(std::map<std::byte*, std::size_t>::iterator range);

  std::map<std::byte*, std::size_t> sizes_;  // by where they begin
  std::set<std::pair<std::size_t, std::byte*>> by_size_;
};

}  // namespace attend::detail
