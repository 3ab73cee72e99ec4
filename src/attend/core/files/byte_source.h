// Byte sources of text: a file, a descriptor or a stream, plain or packed. Private to core/.
#pragma once

#include <cstddef>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

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

// Whether bytes that begin so are packed: gzip or zstd.
bool is_packed(std::string_view begin);

// Throws IoError if the path cannot be opened or is a directory. Unpacks gzip and zstd.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);
// Unpacks gzip and zstd. Reads nothing yet. Does not close the descriptor, which may be
// non-blocking.
std::unique_ptr<ByteSource> open_bytes(int descriptor, const std::string& name);
// Unpacks gzip and zstd. Reads nothing yet. The stream must outlive the source.
std::unique_ptr<ByteSource> open_bytes(std::istream& stream, const std::string& name);
// The same for any other source.
std::unique_ptr<ByteSource> open_bytes(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace attend::detail
