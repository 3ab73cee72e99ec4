#include "attend/tensor/allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "attend/core/error.h"

namespace attend {

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmallest = 256;

// Eight classes per power of two: at most 12.5 % of a block is unused.
std::size_t round_up_to_class(std::size_t bytes) {
  if (bytes <= kSmallest) return kSmallest;
  const std::size_t step = std::max(kAlignment, std::bit_floor(bytes - 1) / 8);
  return (bytes + step - 1) / step * step;
}

// A kept block serves a request if it is at most so many times larger, or small. The blocks of the largest batch shall serve smaller ones
// too; but a small tensor that lives long shall not sit on a large block.
constexpr std::size_t kLargestMultiple = 8;
constexpr std::size_t kSmall = std::size_t{1} << 20;

struct Block {
  std::byte* data;
  std::size_t size;
};

class Cache {
 public:
  // A block of at least `size` bytes.
  Block take(std::size_t size) {
    const std::lock_guard lock(mutex_);
    Block block = take_kept(size);
    if (block.data == nullptr) block = ask_system(size);
    statistics_.bytes_in_use += static_cast<std::int64_t>(size);
    statistics_.peak_bytes = std::max(statistics_.peak_bytes, statistics_.bytes_in_use);
    return block;
  }

  void give_back(const Block& block, std::size_t size) {
    const std::lock_guard lock(mutex_);
    statistics_.bytes_in_use -= static_cast<std::int64_t>(size);
    free_[block.size].push_back(block.data);
  }

  void release() {
    const std::lock_guard lock(mutex_);
    for (auto& [size, blocks] : free_) {
      for (std::byte* block : blocks) std::free(block);
      statistics_.bytes_reserved -= static_cast<std::int64_t>(size * blocks.size());
      blocks.clear();
    }
  }

  MemoryStatistics statistics() {
    const std::lock_guard lock(mutex_);
    return statistics_;
  }

  void reset_peak() {
    const std::lock_guard lock(mutex_);
    statistics_.peak_bytes = statistics_.bytes_in_use;
  }

 private:
  // The smallest kept block that fits and is not far too large.
  Block take_kept(std::size_t size) {
    const auto end = free_.upper_bound(std::max(kSmall, kLargestMultiple * size));
    for (auto entry = free_.lower_bound(size); entry != end; ++entry) {
      auto& [kept, blocks] = *entry;
      if (blocks.empty()) continue;
      std::byte* data = blocks.back();
      blocks.pop_back();
      return {data, kept};
    }
    return {nullptr, 0};
  }

  Block ask_system(std::size_t size) {
    void* data = std::aligned_alloc(kAlignment, size);
    if (data == nullptr)
      throw Error(fmt::format("out of memory: {} bytes asked for, {} in use; try smaller batches", size, statistics_.bytes_in_use));
    ++statistics_.system_calls;
    statistics_.bytes_reserved += static_cast<std::int64_t>(size);
    return {static_cast<std::byte*>(data), size};
  }

  std::mutex mutex_;
  std::map<std::size_t, std::vector<std::byte*>> free_;
  MemoryStatistics statistics_;
};

// Never destroyed: tensors in static storage may outlive every other static object.
Cache& cache() {
  static Cache* const instance = new Cache;
  return *instance;
}

}  // namespace

MemoryStatistics memory_statistics() { return cache().statistics(); }
void reset_peak_memory() { cache().reset_peak(); }
void release_cached_memory() { cache().release(); }

std::shared_ptr<std::byte> allocate(std::size_t bytes) {
  const std::size_t size = round_up_to_class(bytes);
  const Block block = cache().take(size);
  return {block.data, [block, size](std::byte*) { cache().give_back(block, size); }};
}

}  // namespace attend
