// Files read into memory, whose bytes cannot change afterwards.
#pragma once

#include <cstddef>
#include <span>

#include "attend/core/files/input_file.h"

namespace attend {

// The content of a whole file.
class FileContent {
 public:
  // Throws like InputFile::read; IoError if out of memory.
  explicit FileContent(const InputFile& file);
  ~FileContent();
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  std::span<std::byte> memory_;  // including padding
};

}  // namespace attend
