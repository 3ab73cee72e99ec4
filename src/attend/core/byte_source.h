// Where the bytes of a text come from: a file, a descriptor, a stream, or any of them through gzip.
// Private to core/.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>

namespace attend::detail {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Writes between 1 and `capacity` bytes to `to` and returns how many; 0 at the end. May return
  // before `capacity` is reached when more would have to be waited for. Throws IoError for what
  // cannot be read: an error is never the end.
  virtual std::size_t read(char* to, std::size_t capacity) = 0;
  // Whether read() would return at once, as far as can be known: bytes, the end or an error.
  virtual bool has_arrived() { return true; }
};

// Throws IoError when the path cannot be opened or is a directory. Unpacks gzip.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// Unpacks gzip. Reads nothing yet. The descriptor, which may be one that does not block, is not
// closed.
std::unique_ptr<ByteSource> open_bytes(int descriptor, const std::string& name);
// Unpacks gzip. Reads nothing yet. The stream must outlive the source.
std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name);

}  // namespace attend::detail
