// The memory of tensors: blocks are kept when a tensor dies and handed to the next one that fits, so that a steady training step asks the
// operating system for nothing, though batches differ in size.
//
// Sizes are rounded up to one of eight classes per power of two; a class keeps its free blocks in a list, and a request takes the smallest
// free block that is large enough and, above 1 MiB, at most eight times too large. Blocks are aligned to 64 bytes and can be written to the
// end of their last 64 bytes. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend {

struct MemoryStatistics {
  std::int64_t bytes_in_use = 0;    // in live tensors, after rounding
  std::int64_t bytes_reserved = 0;  // taken from the system: in use + kept for reuse
  std::int64_t peak_bytes = 0;      // highest bytes_in_use since reset_peak()
  std::int64_t system_calls = 0;    // how often the system was asked for a block
};

MemoryStatistics memory_statistics();
void reset_peak_memory();

// Returns the blocks kept for reuse to the system.
void release_cached_memory();

// Uninitialised memory, given back to the cache when the last owner goes.
std::shared_ptr<std::byte> allocate(std::size_t bytes);

}  // namespace attend
