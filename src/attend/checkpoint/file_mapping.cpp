#include "attend/checkpoint/file_mapping.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include "attend/core/error.h"

namespace attend {

namespace {

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  }
  ~Descriptor() { ::close(file_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return file_; }

 private:
  int file_;
};

}  // namespace

FileMapping::FileMapping(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Descriptor descriptor(name);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw IoError(fmt::format("{}: cannot read: {}", name, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw DataError(fmt::format("{}: it is a directory, expected a safetensors file", name));
  if (!S_ISREG(status.st_mode)) throw DataError(fmt::format("{}: it is a device or a pipe, expected a safetensors file", name));
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return;  // nothing to map
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.get(), 0);
  if (memory == MAP_FAILED) throw IoError(fmt::format("{}: cannot map into memory: {}", name, std::strerror(errno)));
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

FileMapping::~FileMapping() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void FileMapping::release(std::span<const std::byte> part) const {
  const auto address = [](const std::byte* at) { return reinterpret_cast<std::uintptr_t>(at); };
  const std::uintptr_t begin = address(part.data()), end = begin + part.size();
  const std::uintptr_t file_begin = address(bytes_.data());
  if (part.empty() || begin < file_begin || end > file_begin + bytes_.size()) return;
  // Whole pages only: the others hold bytes of the neighbours.
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (begin + page - 1) / page * page, last = end / page * page;
  // A hint: that it may fail costs memory, not correctness.
  if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace attend
