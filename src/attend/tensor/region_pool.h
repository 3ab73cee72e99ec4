// Memory in regions of address space: free ranges that were used before, and ranges that were never
// used, or not since release(). Private to tensor/.
#pragma once

#include <cstddef>

#include "attend/tensor/free_ranges.h"

namespace attend::detail {

class RegionPool {
 public:
  enum class Pages { usual, huge };
  // Reserves bytes of address space, which are committed on use; nullptr if there is none.
  using Map = std::byte* (*)(std::size_t bytes);
  explicit RegionPool(Pages pages, Map map = map_memory) : pages_(pages), map_(map) {}

  // nullptr when no free range is that large.
  std::byte* take_used(std::size_t size) { return used_.take(size); }
  void add(Range range) { used_.add(range); }

  // Takes memory that was never used, extending the last free range: its size, and the start of the
  // block. Throws OutOfMemory.
  struct Growth {
    std::byte* block;
    std::size_t bytes;
  };
  Growth grow(std::size_t size);

  // Returns the memory of all free ranges to the system and keeps the addresses. Returns bytes.
  std::size_t release();

 private:
  Growth grow(Range before, Range unused, std::size_t size);
  Range map_region(std::size_t size);
  static std::byte* map_memory(std::size_t bytes);

  Pages pages_;
  Map map_;
  FreeRanges used_, unused_;
};

}  // namespace attend::detail
