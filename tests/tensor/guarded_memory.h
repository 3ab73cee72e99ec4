// Memory that only kernels and its own copies can touch.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "attend/tensor/free_ranges.h"
#include "attend/tensor/memory.h"

namespace attend {

class GuardedMemory final : public Memory {
 public:
  GuardedMemory() {
    void* const region =
        ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (region == MAP_FAILED) throw std::runtime_error("guarded memory: no address space");
    region_ = static_cast<std::byte*>(region);
    free_.add({region_, kBytes});
  }

  std::shared_ptr<std::byte> allocate(std::size_t bytes) override {
    const std::lock_guard lock(mutex_);
    const std::size_t size = (bytes / kAlignment + 1) * kAlignment;
    std::byte* const block = free_.take(size);
    if (block == nullptr) throw std::runtime_error("guarded memory: none left");
    return {block, [this, size](std::byte* begin) {
              const std::lock_guard relock(mutex_);
              free_.add({begin, size});
            }};
  }

  void copy(const ByteRows& from, const ByteRows& to, std::int64_t rows,
            std::int64_t row_bytes) override {
    begin_kernel();
    host_memory().copy(from, to, rows, row_bytes);
    end_kernel();
  }
  void copy_to_host(const ByteRows& from, const ByteRows& host, std::int64_t rows,
                    std::int64_t row_bytes) override {
    ++copies_to_host;
    copy(from, host, rows, row_bytes);
  }
  void copy_from_host(const ByteRows& host, const ByteRows& to, std::int64_t rows,
                      std::int64_t row_bytes) override {
    copy(host, to, rows, row_bytes);
  }
  void fill(const ByteRows& to, std::int64_t rows, std::int64_t row_bytes,
            std::uint32_t pattern) override {
    begin_kernel();
    host_memory().fill(to, rows, row_bytes, pattern);
    end_kernel();
  }

  // While a kernel runs, on any thread, all of the memory can be read and written.
  void begin_kernel() override { count(1); }
  void end_kernel() override { count(-1); }

  std::atomic<int> copies_to_host = 0;

 private:
  static constexpr std::size_t kBytes = std::size_t{1} << 30, kAlignment = 64;

  void count(int change) {
    const std::lock_guard lock(mutex_);
    const bool was_open = open_ > 0;
    open_ += change;
    if (was_open == (open_ > 0)) return;
    if (::mprotect(region_, kBytes, open_ > 0 ? PROT_READ | PROT_WRITE : PROT_NONE) != 0)
      throw std::runtime_error("guarded memory: cannot change its protection");
  }

  std::mutex mutex_;
  detail::FreeRanges free_;
  std::byte* region_ = nullptr;
  int open_ = 0;
};

}  // namespace attend
