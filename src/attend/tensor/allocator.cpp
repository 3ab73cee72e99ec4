#include "attend/tensor/allocator.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "attend/tensor/out_of_memory.h"
#include "attend/tensor/poison.h"
#include "attend/tensor/region_pool.h"

namespace attend {

namespace {

using detail::Range;
using detail::RegionPool;

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallest = 256;
constexpr std::size_t kSmall = std::size_t{16} << 10;
constexpr std::size_t kMedium = std::size_t{512} << 10;
constexpr std::int64_t kKeptByThread = std::int64_t{2} << 20;

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

// Small and medium blocks have eight classes per power of two, so at most 12.5 % of a block is
// unused.
std::size_t block_size(std::size_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  if (bytes > kMedium) return round_up(bytes, kAlignment);
  return round_up(bytes, std::max(kAlignment, std::bit_floor(bytes - 1) / 8));
}

// 0 for kSmallest, then eight per power of two.
std::size_t class_of(std::size_t size) {
  if (size <= kSmallest) return 0;
  const std::size_t power = std::bit_floor(size - 1);
  return 8 * static_cast<std::size_t>(std::bit_width(power) - std::bit_width(kSmallest)) +
         (size - power) * 8 / power;
}
constexpr std::size_t kClasses = 8 * 11 + 1;       // kSmallest << 11 is kMedium
constexpr std::size_t kSmallClasses = 8 * 6 + 1;   // kSmallest << 6 is kSmall
constexpr std::size_t kServedClasses = 8 * 3 + 1;  // blocks up to eight times too large

std::size_t size_of_class(std::size_t i) {
  const std::size_t power = kSmallest << (i / 8);
  return power + i % 8 * (power / 8);
}

// Spins for a moment before it sleeps: to sleep and be woken takes longer than the lock is held.
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

// Free blocks that one thread keeps for itself: a decoding step takes and gives back a hundred
// small and medium blocks, and needs no lock for them. Only its thread uses the lists; others read
// the numbers.
class ThreadBlocks {
 public:
  // nullptr if there is none of the class.
  std::byte* take(std::size_t size) {
    List& list = lists_[class_of(size)];
    if (list.count == 0) return nullptr;
    set_kept(kept() - static_cast<std::int64_t>(size));
    if (kept() < least_kept()) least_kept_.store(kept(), std::memory_order_relaxed);
    return list.blocks[--list.count];
  }
  // Whether the block is kept.
  bool add(std::byte* block, std::size_t size) {
    List& list = lists_[class_of(size)];
    const std::int64_t bytes = kept() + static_cast<std::int64_t>(size);
    if (list.count == list.blocks.size() || bytes > kKeptByThread) return false;
    list.blocks[list.count++] = block;
    set_kept(bytes);
    return true;
  }
  // Calls give_back(block, size) for all blocks, and keeps none.
  template <class GiveBack>
  void clear(GiveBack give_back) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      for (List& list = lists_[i]; list.count > 0; --list.count)
        give_back(list.blocks[list.count - 1], size_of_class(i));
    }
    set_kept(0);
    restart_least();
  }

  std::int64_t kept() const { return kept_.load(std::memory_order_relaxed); }  // bytes
  // The fewest bytes since the last restart.
  std::int64_t least_kept() const { return least_kept_.load(std::memory_order_relaxed); }
  void restart_least() { least_kept_.store(kept(), std::memory_order_relaxed); }

 private:
  struct List {
    std::array<std::byte*, 15> blocks;
    std::size_t count = 0;
  };
  void set_kept(std::int64_t bytes) { kept_.store(bytes, std::memory_order_relaxed); }

  std::array<List, kClasses> lists_;
  std::atomic<std::int64_t> kept_ = 0, least_kept_ = 0;
};

// Small blocks and others have separate pools, so that a long-lived small block does not split
// large free ranges. There are few small classes, because blocks listed for one size do not serve
// others.
//
// Blocks in per-thread lists count as free: in use = handed out - in thread lists.
class Cache {
 public:
  // A block of at least `size` bytes, where size is a block_size(). `mine`: what the calling thread
  // keeps; null: nothing.
  Range take(std::size_t size, ThreadBlocks* mine) {
    const std::lock_guard lock(mutex_);
    update_peak(mine);
    const Range block = size <= kSmall ? take_small(size, mine) : take_large(size, mine);
    handed_out_ += static_cast<std::int64_t>(size);
    update_peak(mine);
    return block;
  }

  void give_back(Range block, std::size_t size, ThreadBlocks* mine) {
    const std::lock_guard lock(mutex_);
    update_peak(mine);
    give_back_locked(block, size);
  }

  void release(ThreadBlocks* mine) {
    const std::lock_guard lock(mutex_);
    update_peak(mine);
    take_over(mine);
    join_lists();
    statistics_.bytes_reserved -= static_cast<std::int64_t>(small_.release() + large_.release());
  }

  MemoryStatistics statistics(ThreadBlocks* mine) {
    const std::lock_guard lock(mutex_);
    update_peak(mine);
    statistics_.bytes_in_use = handed_out_ - kept_by_threads();
    return statistics_;
  }

  void reset_peak(ThreadBlocks* mine) {
    const std::lock_guard lock(mutex_);
    if (mine != nullptr) mine->restart_least();
    statistics_.peak_bytes = handed_out_ - kept_by_threads();
  }

  void add(ThreadBlocks* thread) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(thread);
  }
  void remove(ThreadBlocks* thread) {
    const std::lock_guard lock(mutex_);
    update_peak(thread);
    take_over(thread);
    std::erase(threads_, thread);
  }

  // Locks the whole cache.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  // The smallest listed block that is not far too large, or else one from a free range.
  Range take_small(std::size_t size, ThreadBlocks* mine) {
    const std::size_t first = class_of(size);
    for (std::size_t i = first; i < std::min(first + kServedClasses, kSmallClasses); ++i) {
      if (lists_[i].empty()) continue;
      std::byte* const block = lists_[i].back();
      lists_[i].pop_back();
      return {block, size_of_class(i)};
    }
    if (std::byte* const block = small_.take_used(size)) return {block, size};
    take_over(mine);
    join_lists();
    return {take_from(small_, size), size};
  }

  Range take_large(std::size_t size, ThreadBlocks* mine) {
    if (std::byte* const block = large_.take_used(size)) return {block, size};
    take_over(mine);
    return {take_from(large_, size), size};
  }

  std::byte* take_from(RegionPool& pool, std::size_t size) {
    if (std::byte* const block = pool.take_used(size)) return block;
    try {
      const RegionPool::Growth growth = pool.grow(size);
      ++statistics_.system_calls;
      statistics_.bytes_reserved += static_cast<std::int64_t>(growth.bytes);
      return growth.block;
    } catch (const OutOfMemory& error) {
      throw OutOfMemory(fmt::format("{}, {} in use; try smaller batches", error.what(),
                                    handed_out_ - kept_by_threads()));
    }
  }

  void give_back_locked(Range block, std::size_t size) {
    handed_out_ -= static_cast<std::int64_t>(size);
    if (block.size <= kSmall) {
      lists_[class_of(block.size)].push_back(block.begin);
    } else {
      large_.add(block);
    }
  }

  // Takes back what the calling thread keeps.
  void take_over(ThreadBlocks* mine) {
    if (mine == nullptr) return;
    mine->clear([this](std::byte* block, std::size_t size) {
      give_back_locked({block, size}, size);
    });
  }

  // Moves all listed blocks back to free ranges.
  void join_lists() {
    for (std::size_t i = 0; i < kSmallClasses; ++i) {
      for (std::byte* const block : lists_[i]) small_.add({block, size_of_class(i)});
      lists_[i].clear();
    }
  }

  std::int64_t kept_by_threads() const {
    std::int64_t bytes = 0;
    for (const ThreadBlocks* thread : threads_) bytes += thread->kept();
    return bytes;
  }

  // The most that was in use since the last call by this thread, as far as the others keep now what
  // they kept then.
  void update_peak(ThreadBlocks* mine) {
    std::int64_t in_use = handed_out_ - kept_by_threads();
    if (mine != nullptr) in_use += mine->kept() - mine->least_kept();
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, in_use);
    if (mine != nullptr) mine->restart_least();
  }

  ShortMutex mutex_;
  std::array<std::vector<std::byte*>, kSmallClasses> lists_;  // free small blocks
  RegionPool small_{RegionPool::Pages::usual};
  // Rows of logits lie so far apart that a GEMM touches thousands of small pages.
  RegionPool large_{RegionPool::Pages::huge};
  std::int64_t handed_out_ = 0;  // bytes of blocks that were taken
  std::vector<ThreadBlocks*> threads_;
  MemoryStatistics statistics_;  // but for bytes_in_use
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

thread_local ThreadBlocks* t_blocks = nullptr;  // null before the first use, and when it has ended
thread_local bool t_ended = false;

// Gives the blocks back when the thread ends. Tensors that outlive it use the cache itself.
struct EndOfThread {
  ~EndOfThread() {
    t_ended = true;
    cache().remove(t_blocks);
    delete std::exchange(t_blocks, nullptr);
  }
};

ThreadBlocks* make_thread_blocks() {
  if (t_ended) return nullptr;
  t_blocks = new ThreadBlocks;
  cache().add(t_blocks);
  thread_local const EndOfThread end;
  return t_blocks;
}

ThreadBlocks* thread_blocks() { return t_blocks != nullptr ? t_blocks : make_thread_blocks(); }

// A block of block_size() bytes, with the memory that it has.
struct Block {
  std::byte* begin;
  std::size_t size, capacity;
};

Block take(std::size_t size) {
  ThreadBlocks* const mine = thread_blocks();
  if (size <= kMedium && mine != nullptr) {
    if (std::byte* const block = mine->take(size)) return {block, size, size};
  }
  const Range range = cache().take(size, mine);
  return {range.begin, size, range.size};
}

void give_back(const Block& block) {
  ThreadBlocks* const mine = thread_blocks();
  if (block.size <= kMedium && block.capacity == block.size && mine != nullptr &&
      mine->add(block.begin, block.size))
    return;
  cache().give_back({block.begin, block.capacity}, block.size, mine);
}

}  // namespace

MemoryStatistics memory_statistics() { return cache().statistics(thread_blocks()); }
void reset_peak_memory() { cache().reset_peak(thread_blocks()); }
void release_cached_memory() { cache().release(thread_blocks()); }

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  constexpr std::size_t kMost = std::numeric_limits<std::ptrdiff_t>::max();  // of any object
  if (bytes > kMost) throw OutOfMemory(fmt::format("out of memory: {} bytes requested", bytes));
  const Block block = take(block_size(bytes));
  // Only the part of a medium block that may be used is unpoisoned.
  detail::unpoison({block.begin, block.size > kSmall ? round_up(bytes, kAlignment) : block.size});
  return {block.begin, [block](std::byte*) {
            detail::poison({block.begin, block.size});
            give_back(block);
          }};
}

}  // namespace attend
