#include "attend/core/files/mapped_file.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "attend/error.h"

namespace attend {

std::shared_ptr<const MappedFile> MappedFile::of(const InputFile& file) {
  const auto size = static_cast<std::size_t>(file.size());
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (memory == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  // A hint: file systems with large pages read the file into them.
  ::madvise(memory, size, MADV_HUGEPAGE);
#endif
  return std::shared_ptr<const MappedFile>(
      new MappedFile({static_cast<const std::byte*>(memory), size}, file.path()));
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

void MappedFile::fetch(std::uint64_t begin, std::uint64_t end) const {
#ifdef MADV_POPULATE_READ
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  begin -= begin % page;
  auto* const first = const_cast<std::byte*>(bytes_.data()) + begin;
  while (::madvise(first, static_cast<std::size_t>(end - begin), MADV_POPULATE_READ) != 0) {
    if (errno == EINTR || errno == EAGAIN) continue;
    if (errno == EFAULT)  // what would be SIGBUS
      throw DataError(fmt::format(
          "{}: expected {} bytes, found fewer: it was truncated during reading; is it being "
          "written?",
          path_, bytes_.size()));
    return;  // an older kernel: without the step, only slower
  }
#endif
}

}  // namespace attend
