// Memory that only its own copies, and whoever opens it, can touch.
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
  // While one lives, on any thread, all of the memory can be read and written.
  class Open {
   public:
    explicit Open(GuardedMemory& memory) : memory_(memory) { memory_.count(1); }
    ~Open() { memory_.count(-1); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    GuardedMemory& memory_;
  };

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
    const Open open(*this);
    host_memory().copy(from, to, rows, row_bytes);
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
    const Open open(*this);
    host_memory().fill(to, rows, row_bytes, pattern);
  }

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
