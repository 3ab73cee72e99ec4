// Files read into memory: bytes that stay what they were, whatever other programs do to the file.
//
// A file is read, not mapped: what a mapped file has lost when another program cuts it short (a
// copy onto it, a full disk) is a SIGBUS for whoever looks at it, which no exception can be made
// of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace attend {

// A file open for reading, as large as it was when it was opened.
class InputFile {
 public:
  // Throws IoError when the file cannot be opened, DataError when it is a directory, a device or a
  // pipe.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  // Fills `to` with the bytes from `begin` on. Precondition: the file had so many. Throws DataError
  // when it has been cut short since, IoError when it cannot be read. Thread-safe.
  void read(std::uint64_t begin, std::span<std::byte> to) const;

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

// The whole of a file.
class FileContent {
 public:
  // Throws as InputFile::read; IoError when there is no memory for it.
  explicit FileContent(const InputFile& file);
  ~FileContent();
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<std::byte> bytes_;
  std::span<std::byte> memory_;  // around them
};

}  // namespace attend
