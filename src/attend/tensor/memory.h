// The memory of a device, where tensors live. The program can read only host memory; other elements
// are reached by kernels and copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend {

// Equally spaced rows of equal length, in bytes.
struct ByteRows {
  std::byte* begin = nullptr;
  std::int64_t stride = 0;  // from the first byte of a row to that of the next
};

// Copies and fills are complete on return. Thread-safe.
class Memory {
 public:
  virtual ~Memory() = default;

  // Uninitialized memory, aligned to 64 bytes, freed with its last owner. Throws Error if out of
  // memory.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;

  // `rows` rows of `row_bytes` each, which do not overlap.
  virtual void copy(const ByteRows& from, const ByteRows& to, std::int64_t rows,
                    std::int64_t row_bytes) = 0;
  virtual void copy_to_host(const ByteRows& from, const ByteRows& host, std::int64_t rows,
                            std::int64_t row_bytes) = 0;
  virtual void copy_from_host(const ByteRows& host, const ByteRows& to, std::int64_t rows,
                              std::int64_t row_bytes) = 0;
  // Repeats the four bytes of `pattern`; a shorter rest gets its first bytes.
  virtual void fill(const ByteRows& to, std::int64_t rows, std::int64_t row_bytes,
                    std::uint32_t pattern) = 0;

  // Called around every kernel of a device with this memory, by several threads at once.
  virtual void begin_kernel() {}
  virtual void end_kernel() {}
};

// The caching allocator of tensor/allocator.h.
Memory& host_memory();

// The memory of the calling thread's current runtime (core/threads/runtime.h); host_memory() by
// default.
Memory& current_memory();

}  // namespace attend
