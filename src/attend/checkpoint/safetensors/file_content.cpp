#include "attend/checkpoint/safetensors/file_content.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "attend/core/threads/interruption.h"
#include "attend/core/threads/parallel.h"
#include "attend/error.h"

namespace attend {

namespace {

constexpr std::uintptr_t kHugePage = std::uintptr_t{1} << 21;
constexpr std::size_t kReadAtOnce = std::size_t{8} << 20;

std::uintptr_t address_of(const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); }

}  // namespace

FileContent::FileContent(const InputFile& file) {
  const auto size = static_cast<std::size_t>(file.size());
  if (size == 0) return;
  // Zeroing small pages one by one costs more than reading into them.
  const std::size_t bytes = size < kHugePage ? size : size + kHugePage;
  void* const memory = bytes < size ? MAP_FAILED
                                    : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    throw IoError(
        fmt::format("{}: no memory for its {} bytes: {}", file.path(), size, std::strerror(errno)));
  memory_ = {static_cast<std::byte*>(memory), bytes};
  const std::uintptr_t begin = address_of(memory_.data());
  const std::uintptr_t first =
      size < kHugePage ? begin : (begin + kHugePage - 1) / kHugePage * kHugePage;
  bytes_ = memory_.subspan(first - begin, size);
  // a hint: without it, only slower.
  ::madvise(bytes_.data(), bytes_.size(), MADV_HUGEPAGE);
  try {
    parallel_each(static_cast<std::int64_t>((size + kReadAtOnce - 1) / kReadAtOnce),
                  [&](std::int64_t i) {
                    look_for_interruption();
                    const std::size_t from = static_cast<std::size_t>(i) * kReadAtOnce;
                    file.read(from, bytes_.subspan(from, std::min(kReadAtOnce, size - from)));
                  });
  } catch (...) {
    ::munmap(memory_.data(), memory_.size());
    throw;
  }
}

FileContent::~FileContent() {
  if (!memory_.empty()) ::munmap(memory_.data(), memory_.size());
}

}  // namespace attend
