// The caching allocator of host tensors: freed memory is reused, so that a steady training step
// makes no system calls even though batches differ in size.
//
// Blocks come from the smallest free range that fits, and adjacent free ranges merge. Blocks of up
// to 512 KiB are rounded up to one of eight sizes per power of two. Each thread keeps up to 2 MiB
// of free ones for itself, and takes and gives them back without a lock. Small blocks, of up to 16
// KiB, also have lists of free blocks that all threads share; when nothing listed fits, listed
// blocks become free ranges again. Unused memory is taken last. Blocks are aligned to 64 bytes and
// writable up to a multiple of 64 bytes. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend {

struct MemoryStatistics {
  std::int64_t bytes_in_use = 0;  // in live tensors, after rounding
  // Used at some time and not returned: in use or kept for reuse.
  std::int64_t bytes_reserved = 0;
  // Maximum of bytes_in_use since reset_peak_memory(). With several threads, it may be off by the
  // 2 MiB that each keeps.
  std::int64_t peak_bytes = 0;
  std::int64_t system_calls = 0;  // requests that needed memory never used before
};

MemoryStatistics memory_statistics();
void reset_peak_memory();

// Returns the memory kept for reuse to the system, except what other threads keep.
void release_cached_memory();

// Uninitialized memory, returned to the cache with its last owner.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

}  // namespace attend
