// A file as memory that belongs to the page cache: no copy of it, and the same memory for all
// processes that map it.
//
// Truncating or writing a mapped file changes this memory: access beyond its new end raises SIGBUS,
// which cannot become an exception. Replace such files by renaming, as
// core/files/atomic_file.h does. Only files that are meant for it are mapped; others are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "attend/core/files/input_file.h"

namespace attend {

class MappedFile {
 public:
  // nullptr where the system cannot map the file. The file may be closed afterwards.
  static std::shared_ptr<const MappedFile> of(const InputFile& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Read only, aligned to a page.
  std::span<const std::byte> bytes() const { return bytes_; }

  // Brings the bytes [begin, end) into memory in one step where the system can; reading them does
  // it, too, page by page. Throws DataError if the file was truncated. Thread-safe.
  void fetch(std::uint64_t begin, std::uint64_t end) const;

 private:
  MappedFile(std::span<const std::byte> bytes, std::string path)
      : bytes_(bytes), path_(std::move(path)) {}

  std::span<const std::byte> bytes_;
  std::string path_;
};

}  // namespace attend
