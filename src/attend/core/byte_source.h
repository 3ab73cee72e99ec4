// Byte sources of text: a file, a descriptor or a stream, plain or gzip. Private to core/.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

namespace attend::detail {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Reads between 1 and `capacity` bytes into `to` and returns how many; 0 at the end. May return
  // fewer than `capacity` rather than wait. Throws IoError for read errors, which never count as
  // the end.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  // Whether read() would return at once, as far as is known: bytes, the end or an error.
  virtual bool has_arrived() { return true; }
};

// Throws IoError if the path cannot be opened or is a directory. Unpacks gzip.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// Unpacks gzip. Reads nothing yet. Does not close the descriptor, which may be non-blocking.
std::unique_ptr<ByteSource> open_bytes(int descriptor, const std::string& name);
// Unpacks gzip. Reads nothing yet. The stream must outlive the source.
std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name);

}  // namespace attend::detail
