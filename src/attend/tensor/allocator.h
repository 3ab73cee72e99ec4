// The memory of tensors: what a tensor leaves is handed to the next ones, so that a steady training
// step asks the operating system for nothing, though batches differ in size.
//
// Large blocks are cut from the smallest free range that holds them, and free ranges that touch
// become one. Small ones are rounded up to one of eight classes per power of two, each of which
// lists its free blocks; what is listed becomes free ranges when nothing listed fits. Memory that
// has not been used before is taken last. Blocks are aligned to 64 bytes and can be written to the
// end of their last 64 bytes. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend {

struct MemoryStatistics {
  std::int64_t bytes_in_use = 0;  // in live tensors, after rounding
  std::int64_t bytes_reserved =
      0;                          // that have been used and not given back: in use + kept for reuse
  std::int64_t peak_bytes = 0;    // highest bytes_in_use since reset_peak()
  std::int64_t system_calls = 0;  // how often memory was wanted that had not been used before
};

MemoryStatistics memory_statistics();
void reset_peak_memory();

// Gives what is kept for reuse back to the system.
void release_cached_memory();

// Uninitialized memory, given back to the cache when the last owner goes.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

}  // namespace attend
