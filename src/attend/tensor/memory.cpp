#include "attend/tensor/memory.h"

#include <algorithm>
#include <cstring>

#include "attend/core/threads/runtime.h"
#include "attend/tensor/allocator.h"

namespace attend {

namespace {

class HostMemory final : public Memory {
 public:
  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    return attend::allocate(bytes);
  }

  void copy(const ByteRows& from, const ByteRows& to, std::int64_t rows,
            std::int64_t row_bytes) override {
    if (row_bytes == 0) return;
    const bool together = from.stride == row_bytes && to.stride == row_bytes;
    const std::int64_t pieces = together ? std::min<std::int64_t>(rows, 1) : rows,
                       bytes = together ? rows * row_bytes : row_bytes;
    for (std::int64_t r = 0; r < pieces; ++r)
      std::memcpy(to.begin + r * to.stride, from.begin + r * from.stride,
                  static_cast<std::size_t>(bytes));
  }
  void copy_to_host(const ByteRows& from, const ByteRows& host, std::int64_t rows,
                    std::int64_t row_bytes) override {
    copy(from, host, rows, row_bytes);
  }
  void copy_from_host(const ByteRows& host, const ByteRows& to, std::int64_t rows,
                      std::int64_t row_bytes) override {
    copy(host, to, rows, row_bytes);
  }

  void fill(const ByteRows& to, std::int64_t rows, std::int64_t row_bytes,
            std::uint32_t pattern) override {
    for (std::int64_t r = 0; r < rows; ++r)
      fill_row(to.begin + r * to.stride, static_cast<std::size_t>(row_bytes), pattern);
  }

 private:
  static void fill_row(std::byte* row, std::size_t bytes, std::uint32_t pattern) {
    if (pattern == 0) {
      std::memset(row, 0, bytes);
      return;
    }
    for (std::size_t i = 0; i < bytes; i += sizeof pattern)
      std::memcpy(row + i, &pattern, std::min(sizeof pattern, bytes - i));
  }
};

}  // namespace

Memory& host_memory() {
  // Never destroyed: static tensors may outlive it.
  static auto& memory = *new HostMemory;
  return memory;
}

Memory& current_memory() {
  Memory* const named = Runtime::current().device().memory;
  return named != nullptr ? *named : host_memory();
}

}  // namespace attend
