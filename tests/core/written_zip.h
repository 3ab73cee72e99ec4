// ZIP archives with any content, also such as nobody honest would write.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace attend {

// A number, little-endian.
template <class Number>
std::string bytes_of(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

inline std::string deflated(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// One entry of a ZIP archive. What the headers say can differ from what is there.
struct WrittenEntry {
  std::string name = {}, bytes = {};
  bool deflate = false;
  std::uint32_t claimed_size = 0;  // 0: the real one
  std::uint16_t flags = 0, method = 0xffff;
  std::uint32_t checksum_error = 0;
  bool without_checksum = false;
  std::string local_name = {};  // empty: the same
  std::int64_t offset_error = 0;
};

inline std::string written_zip(const std::vector<WrittenEntry>& entries) {
  std::string file, directory;
  for (const WrittenEntry& entry : entries) {
    const std::string packed = entry.deflate ? deflated(entry.bytes) : entry.bytes;
    const auto size = entry.claimed_size != 0 ? entry.claimed_size
                                              : static_cast<std::uint32_t>(entry.bytes.size());
    const auto packed_size = static_cast<std::uint32_t>(
        !entry.deflate && entry.claimed_size != 0 ? size : packed.size());
    const auto checksum = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(entry.bytes.data()), entry.bytes.size()));
    const std::uint16_t method = entry.method != 0xffff ? entry.method : entry.deflate ? 8 : 0;
    const std::string common =
        bytes_of(entry.flags) + bytes_of(method) + bytes_of(0) +
        bytes_of(entry.without_checksum ? 0 : checksum ^ entry.checksum_error) +
        bytes_of(packed_size) + bytes_of(size) +
        bytes_of(static_cast<std::uint16_t>(entry.name.size())) + bytes_of(std::uint16_t{0});
    const auto offset = static_cast<std::uint32_t>(file.size() + entry.offset_error);
    file += "PK\3\4" + bytes_of(std::uint16_t{20}) + common +
            (entry.local_name.empty() ? entry.name : entry.local_name) + packed;
    directory += "PK\1\2" + bytes_of(std::uint16_t{20}) + bytes_of(std::uint16_t{20}) + common +
                 bytes_of(std::uint16_t{0}) + bytes_of(std::uint16_t{0}) +
                 bytes_of(std::uint16_t{0}) + bytes_of(std::uint32_t{0}) + bytes_of(offset) +
                 entry.name;
  }
  const auto count = static_cast<std::uint16_t>(entries.size());
  const auto begin = static_cast<std::uint32_t>(file.size());
  return file + directory + "PK\5\6" + bytes_of(std::uint32_t{0}) + bytes_of(count) +
         bytes_of(count) + bytes_of(static_cast<std::uint32_t>(directory.size())) +
         bytes_of(begin) + bytes_of(std::uint16_t{0});
}

}  // namespace attend
