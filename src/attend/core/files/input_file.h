// Files open for reading at any position.
//
// Files are read, not mapped, unless they are meant for it (core/files/mapped_file.h): if another
// program truncates a mapped file, access raises SIGBUS, which cannot become an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// A file open for reading, with the size it had when opened.
class InputFile {
 public:
  // Throws IoError if the file cannot be opened, DataError if it is a directory, a device or a
  // pipe.
  explicit InputFile(const std::filesystem::path& path);
  // A file in memory with this content. `name` stands for it in messages. Throws IoError if the
  // system gives no memory for it.
  InputFile(std::string name, std::string_view content);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

  // Fills `to` with the bytes starting at `begin`. Precondition: the file had that many. Throws
  // DataError if it was truncated since, IoError if it cannot be read. Thread-safe.
  void read(std::uint64_t begin, std::span<std::byte> to) const;

  // Throws IoError if the file was written to since it was opened. One that took its place under
  // its name is another file.
  void require_unchanged() const;
  // Throws IoError if there is another file under its name, or none.
  void require_in_place() const;

  int descriptor() const { return descriptor_; }

 private:
  std::string path_;
  std::uint64_t size_ = 0;
  std::int64_t written_ = 0;  // nanoseconds
  int descriptor_ = -1;
};

}  // namespace attend
