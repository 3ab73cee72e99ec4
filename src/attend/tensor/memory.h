// The memory of a device: where tensors live. Host memory is the one that the program itself can
// read; elements of any other are reached only by kernels and by copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace attend {

// Rows of equal length at equal distances, all in bytes.
struct ByteRows {
  std::byte* begin = nullptr;
  std::int64_t stride = 0;  // from the first byte of a row to that of the next
};

// Copies and fills are complete when they return. Thread-safe.
class Memory {
 public:
  virtual ~Memory() = default;

  // Uninitialized, aligned to 64 bytes, given back when the last owner goes. Throws Error when
  // there is no more.
  virtual std::shared_ptr<std::byte> allocate(std::size_t bytes) = 0;

  // `rows` rows of `row_bytes` each; they do not overlap.
  virtual void copy(const ByteRows& from, const ByteRows& to, std::int64_t rows,
                    std::int64_t row_bytes) = 0;
  virtual void copy_to_host(const ByteRows& from, const ByteRows& host, std::int64_t rows,
                            std::int64_t row_bytes) = 0;
  virtual void copy_from_host(const ByteRows& host, const ByteRows& to, std::int64_t rows,
                              std::int64_t row_bytes) = 0;
  // Every four bytes become `pattern`; a rest of fewer, its first bytes.
  virtual void fill(const ByteRows& to, std::int64_t rows, std::int64_t row_bytes,
                    std::uint32_t pattern) = 0;
};

// The caching allocator of tensor/allocator.h.
Memory& host_memory();

// That of the calling thread's current runtime (core/runtime.h); host_memory() when it names none.
Memory& current_memory();

}  // namespace attend
