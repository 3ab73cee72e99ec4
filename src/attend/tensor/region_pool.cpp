#include "attend/tensor/region_pool.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "attend/tensor/out_of_memory.h"
#include "attend/tensor/poison.h"

namespace attend::detail {

namespace {

constexpr std::size_t kGrowth = std::size_t{1} << 20;
#ifdef __EMSCRIPTEN__
// There, a region is memory at once: mmap() fills it with zeros.
constexpr std::size_t kRegion = std::size_t{16} << 20;
#else
constexpr std::size_t kRegion = std::size_t{256} << 20;
#endif

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

void forget(Range range) {  // whole pages
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = round_up(reinterpret_cast<std::uintptr_t>(range.begin), page);
  const auto end = reinterpret_cast<std::uintptr_t>(range.end()) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace

RegionPool::Growth RegionPool::grow(std::size_t size) {
  for (const Range range : unused_.all()) {
    const Range before = used_.take_ending_at(range.begin);
    if (before.size + range.size >= size) return grow(before, range, size);
    used_.add(before);
  }
  // The system may place the region right behind the end of another one.
  const Range unused = unused_.add(map_region(size));
  return grow(used_.take_ending_at(unused.begin), unused, size);
}

RegionPool::Growth RegionPool::grow(Range before, Range unused, std::size_t size) {
  const std::size_t more = std::min(round_up(size - before.size, kGrowth), unused.size);
  unused_.take_front(unused.begin, more);
  std::byte* const block = before.size > 0 ? before.begin : unused.begin;
  used_.add({block + size, before.size + more - size});
  return {block, more};
}

std::size_t RegionPool::release() {
  std::size_t bytes = 0;
  for (const Range range : used_.all()) {
    forget(range);
    unused_.add(range);
    bytes += range.size;
  }
  used_.clear();
  return bytes;
}

std::byte* RegionPool::map_memory(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

Range RegionPool::map_region(std::size_t size) {
  const std::size_t least = round_up(size, kGrowth);
  Range region{nullptr, std::max(kRegion, least)};
  if (least >= size) region.begin = map_(region.size);
  // Less may be left than a whole region.
  if (region.begin == nullptr && least >= size) region = {map_(least), least};
  if (region.begin == nullptr)
    throw OutOfMemory(fmt::format("out of memory: {} bytes requested", size));
#ifdef MADV_HUGEPAGE
  if (pages_ == Pages::huge) ::madvise(region.begin, region.size, MADV_HUGEPAGE);
#endif
  poison(region);
  return region;
}

}  // namespace attend::detail
