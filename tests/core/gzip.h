// Text as a gzip file, for the readers of those, and back.
#pragma once

#include <zlib.h>

#include <string>

namespace attend {

inline std::string gzip(const std::string& text) {
  z_stream stream{};
  std::string packed(text.size() + 100, '\0');
  if (deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    return "";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Empty for damaged bytes.
inline std::string gunzipped(const std::string& packed) {
  z_stream stream{};
  std::string text;
  if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) return "";
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int state = Z_OK;
  while (state == Z_OK) {
    const std::size_t begin = text.size();
    text.resize(begin + 100000);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + begin);
    stream.avail_out = 100000;
    state = inflate(&stream, Z_NO_FLUSH);
    text.resize(text.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  return state == Z_STREAM_END ? text : "";
}

}  // namespace attend
