#include "attend/tensor/allocator.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "attend/error.h"
#include "attend/tensor/free_ranges.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(begin, size) ((void)(begin), (void)(size))
#endif

namespace attend {

namespace {

using detail::FreeRanges;
using detail::Range;

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallest = 256;
constexpr std::size_t kSmall = std::size_t{16} << 10;
constexpr std::size_t kGrowth = std::size_t{1} << 20;
constexpr std::size_t kRegion = std::size_t{256} << 20;

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

// Small blocks have eight classes per power of two, so at most 12.5 % of a block is unused.
std::size_t block_size(std::size_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  if (bytes > kSmall) return round_up(bytes, kAlignment);
  return round_up(bytes, std::max(kAlignment, std::bit_floor(bytes - 1) / 8));
}

// 0 for kSmallest, then eight per power of two.
std::size_t class_of(std::size_t size) {
  if (size <= kSmallest) return 0;
  const std::size_t power = std::bit_floor(size - 1);
  return 8 * static_cast<std::size_t>(std::bit_width(power) - std::bit_width(kSmallest)) +
         (size - power) * 8 / power;
}
constexpr std::size_t kClasses = 8 * 6 + 1;        // kSmallest << 6 is kSmall
constexpr std::size_t kServedClasses = 8 * 3 + 1;  // blocks up to eight times too large

std::size_t size_of_class(std::size_t i) {
  const std::size_t power = kSmallest << (i / 8);
  return power + i % 8 * (power / 8);
}

// Memory in regions of address space: free ranges that were used before, and ranges that were never
// used (or not since release()).
class Pool {
 public:
  enum class Pages { usual, huge };
  explicit Pool(Pages pages) : pages_(pages) {}

  // nullptr when no free range is that large.
  std::byte* take_used(std::size_t size) { return used_.take(size); }
  void add(Range range) { used_.add(range); }

  // Takes memory that was never used, extending the last free range: its size, and the start of the
  // block. Throws Error.
  struct Growth {
    std::byte* block;
    std::size_t bytes;
  };
  Growth grow(std::size_t size) {
    for (const Range range : unused_.all()) {
      const Range before = used_.take_ending_at(range.begin);
      if (before.size + range.size >= size) return grow(before, range, size);
      used_.add(before);
    }
    return grow({}, map_region(size), size);
  }

  // Returns the memory of all free ranges to the system and keeps the addresses. Returns bytes.
  std::size_t release() {
    std::size_t bytes = 0;
    for (const Range range : used_.all()) {
      forget(range);
      unused_.add(range);
      bytes += range.size;
    }
    used_.clear();
    return bytes;
  }

 private:
  Growth grow(Range before, Range unused, std::size_t size) {
    const std::size_t more = std::min(round_up(size - before.size, kGrowth), unused.size);
    unused_.take_front(unused.begin, more);
    std::byte* const block = before.size > 0 ? before.begin : unused.begin;
    used_.add({block + size, before.size + more - size});
    return {block, more};
  }

  // Reserves address space; memory is committed on use.
  Range map_region(std::size_t size) {
    const std::size_t bytes = std::max(kRegion, round_up(size, kGrowth));
    void* const memory = bytes < size ? MAP_FAILED
                                      : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error(fmt::format("out of memory: {} bytes requested", size));
#ifdef MADV_HUGEPAGE
    if (pages_ == Pages::huge) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    ASAN_POISON_MEMORY_REGION(memory, bytes);
    const Range region{static_cast<std::byte*>(memory), bytes};
    unused_.add(region);
    return region;
  }

  static void forget(Range range) {  // whole pages
    static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = round_up(reinterpret_cast<std::uintptr_t>(range.begin), page);
    const auto end = reinterpret_cast<std::uintptr_t>(range.end()) / page * page;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
  }

  Pages pages_;
  FreeRanges used_, unused_;
};

// Spins for a moment before it sleeps. Threads that decode small batches take and give back a block
// every few microseconds, and to sleep and be woken takes longer than the lock is held.
class ShortMutex {
 public:
  void lock() { ::pthread_mutex_lock(&mutex_); }
  void unlock() { ::pthread_mutex_unlock(&mutex_); }

 private:
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
  pthread_mutex_t mutex_ = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
#else
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
#endif
};

// Small and large blocks have separate pools, so that a long-lived small block does not split large
// free ranges. There are few small classes, because blocks listed for one size do not serve others.
class Cache {
 public:
  // A block of at least `size` bytes, where size is a block_size().
  Range take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const Range block = size <= kSmall ? take_small(size) : Range{take_from(large_, size), size};
    statistics_.bytes_in_use += static_cast<std::int64_t>(size);
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes_in_use);
    ASAN_UNPOISON_MEMORY_REGION(block.begin, size);
    return block;
  }

  void give_back(Range block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    ASAN_POISON_MEMORY_REGION(block.begin, size);
    statistics_.bytes_in_use -= static_cast<std::int64_t>(size);
    if (block.size <= kSmall) {
      lists_[class_of(block.size)].push_back(block.begin);
    } else {
      large_.add(block);
    }
  }

  void release() {
    const std::lock_guard lock(mutex_);
    join_lists();
    statistics_.bytes_reserved -= static_cast<std::int64_t>(small_.release() + large_.release());
  }

  MemoryStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    statistics_.peak_bytes = statistics_.bytes_in_use;
  }

  // Locks the whole cache.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  // The smallest listed block that is not far too large, or else one from a free range.
  Range take_small(std::size_t size) {
    const std::size_t first = class_of(size);
    for (std::size_t i = first; i < std::min(first + kServedClasses, kClasses); ++i) {
      if (lists_[i].empty()) continue;
      std::byte* const block = lists_[i].back();
      lists_[i].pop_back();
      return {block, size_of_class(i)};
    }
    if (std::byte* const block = small_.take_used(size)) return {block, size};
    join_lists();
    return {take_from(small_, size), size};
  }

  std::byte* take_from(Pool& pool, std::size_t size) {
    if (std::byte* const block = pool.take_used(size)) return block;
    try {
      const Pool::Growth growth = pool.grow(size);
      ++statistics_.system_calls;
      statistics_.bytes_reserved += static_cast<std::int64_t>(growth.bytes);
      return growth.block;
    } catch (const Error& error) {
      throw Error(fmt::format("{}, {} in use; try smaller batches", error.what(),
                              statistics_.bytes_in_use));
    }
  }

  // Moves all listed blocks back to free ranges.
  void join_lists() {
    for (std::size_t i = 0; i < kClasses; ++i) {
      for (std::byte* const block : lists_[i]) small_.add({block, size_of_class(i)});
      lists_[i].clear();
    }
  }

  ShortMutex mutex_;
  std::array<std::vector<std::byte*>, kClasses> lists_;  // free small blocks
  Pool small_{Pool::Pages::usual};
  Pool large_{Pool::Pages::huge};  // rows of logits lie so far apart that a GEMM touches thousands
                                   // of small pages
  MemoryStatistics statistics_;
};

// Never destroyed: static tensors may outlive every other static object. A fork waits until no
// thread is changing the cache; otherwise the child would inherit a partial change and a lock
// nobody releases.
Cache& cache() {
  static Cache* const instance = [] {
    auto* const made = new Cache;
    pthread_atfork([] { cache().lock(); }, [] { cache().unlock(); }, [] { cache().unlock(); });
    return made;
  }();
  return *instance;
}

// Created before there are threads, because a fork during creation would leave the child half a
// cache.
[[maybe_unused]] const Cache& made_early = cache();

}  // namespace

MemoryStatistics memory_statistics() { return cache().statistics(); }
void reset_peak_memory() { cache().reset_peak(); }
void release_cached_memory() { cache().release(); }

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const std::size_t size = block_size(bytes);
  const Range block = cache().take(size);
  return {block.begin, [block, size](std::byte*) { cache().give_back(block, size); }};
}

}  // namespace attend
