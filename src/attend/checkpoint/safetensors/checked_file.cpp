#include "attend/checkpoint/safetensors/checked_file.h"

#include <memory>

namespace attend {

CheckedFile::CheckedFile(const std::filesystem::path& path)
    : file_(path), header_(read_safetensors_header(file_)), check_(header_.tensors) {}

void CheckedFile::read(std::size_t tensor, std::uint64_t begin, std::span<std::byte> to) const {
  file_.read(header_.tensors[tensor].begin + begin, to);
  check_.look(tensor, begin, to);
}

std::shared_ptr<const MappedFile> CheckedFile::mapped() const {
  const std::lock_guard lock(mutex_);
  if (mapped_ == nullptr) mapped_ = MappedFile::of(file_);
  return mapped_;
}

void CheckedFile::look_at(const MappedFile& memory, std::size_t tensor, std::uint64_t begin,
                          std::uint64_t end) const {
  const std::uint64_t first = header_.tensors[tensor].begin + begin;
  memory.fetch(first, first + end - begin);
  check_.look(tensor, begin,
              memory.bytes().subspan(static_cast<std::size_t>(first),
                                     static_cast<std::size_t>(end - begin)));
}

void CheckedFile::require_intact() const {
  const auto memory = [this] {
    const std::lock_guard lock(mutex_);
    return mapped_;
  }();
  for (std::size_t i = 0; i < header_.tensors.size(); ++i) {
    if (check_.covers(i)) continue;
    check_.forget(i);
    for_content_parts(check_.tensors()[i].bytes(), 1, [&](std::uint64_t begin, std::uint64_t end) {
      if (memory != nullptr) return look_at(*memory, i, begin, end);
      const auto size = static_cast<std::size_t>(end - begin);
      const auto buffer = std::make_unique_for_overwrite<std::byte[]>(size);
      read(i, begin, {buffer.get(), size});
    });
  }
  check_.require(header_.metadata, path());
}

}  // namespace attend
