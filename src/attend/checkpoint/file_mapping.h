// A file mapped into memory, to be read and nothing else.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace attend {

class FileMapping {
 public:
  // Throws IoError when the file cannot be opened or mapped, DataError when it is a directory, a device or a pipe.
  explicit FileMapping(const std::filesystem::path& path);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  // Gives back the memory that a part of the file has come to occupy, for when all has been made of it that was wanted: what is read again
  // comes from the file again. Bytes outside the file are left alone.
  void release(std::span<const std::byte> part) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace attend
