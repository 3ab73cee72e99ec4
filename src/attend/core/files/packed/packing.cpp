#include "attend/core/files/packed/packing.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "attend/error.h"

namespace attend {

std::string packed_gzip(std::string_view bytes) {
  constexpr int kGzipFormat = 16, kMemoryLevel = 9;
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipFormat, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw IoError("cannot pack bytes: zlib did not start");
  std::string packed;
  std::array<char, std::size_t{64} << 10> buffer;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::size_t part = std::min<std::size_t>(bytes.size(), std::size_t{1} << 30);
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // only read
      stream.avail_in = static_cast<uInt>(part);
      bytes.remove_prefix(part);
    }
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = static_cast<uInt>(buffer.size());
    state = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    packed.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  return packed;
}

}  // namespace attend
