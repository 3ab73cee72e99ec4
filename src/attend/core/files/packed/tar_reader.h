// TAR archives, read from front to end: those of POSIX (ustar, pax), of GNU, and older ones.
//
//   entry     header of 512 bytes: name, size, checksum, type, ...; the bytes, filled up to 512
//   ...       types x and L hold the size or the name of the next entry, where they are too long
//   end       512 zero bytes
//
// Private to core/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "attend/core/files/byte_source.h"

namespace attend::detail {

// Whether a file that begins so is a TAR archive: its first header has the right checksum.
bool is_tar(std::string_view begin);
inline constexpr std::size_t kTarHeaderBytes = 512;

class TarReader {
 public:
  // `name` is for errors.
  TarReader(std::unique_ptr<ByteSource> source, std::string name)
      : source_(std::move(source)), archive_(std::move(name)) {}

  // Moves to the next regular file, past folders, links and devices. False at the end. Throws
  // DataError for damaged and truncated archives, as read() does.
  bool next();
  // The name of the file, as the archive has it: any bytes.
  const std::string& name() const { return name_; }
  // Reads between 1 and `capacity` bytes of the file; 0 at its end.
  std::size_t read(char* to, std::size_t capacity);

 private:
  struct Extension {
    std::string name;        // empty: as in the header
    std::int64_t size = -1;  // -1: as in the header
  };

  bool read_header(char (&header)[kTarHeaderBytes]);
  std::size_t fill(char* to, std::size_t size);
  void skip(std::uint64_t bytes);
  std::string read_text(std::uint64_t bytes);
  void extend_by(char type, std::uint64_t size);
  [[noreturn]] void refuse(std::string_view why) const;

  std::unique_ptr<ByteSource> source_;
  std::string archive_, name_;
  Extension extension_;
  std::uint64_t left_ = 0;     // bytes of the file that are not read
  std::uint64_t filling_ = 0;  // bytes from its end to the next header
};

}  // namespace attend::detail
