// Bounds-checked reading of little-endian binary data.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/input_file.h"

namespace attend {

// Consumes `bytes` from the front. All functions throw DataError "<where>: ..." if too few bytes
// are left.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string where)
      : bytes_(bytes), where_(std::move(where)) {}

  template <std::integral Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::span<const std::byte> take(std::uint64_t count);
  std::string_view text(std::uint64_t count);

  std::size_t position() const { return position_; }  // bytes taken so far
  std::size_t left() const { return bytes_.size() - position_; }
  const std::string& where() const { return where_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  std::string where_;
};

// Reads `count` bytes of a file at `begin`. Throws DataError, with `what` was expected, if the file
// ends earlier.
std::vector<std::byte> read_range(const InputFile& file, std::uint64_t begin, std::uint64_t count,
                                  std::string_view what);

}  // namespace attend
