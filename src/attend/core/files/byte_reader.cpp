#include "attend/core/files/byte_reader.h"

#include <fmt/format.h>

#include "attend/error.h"

namespace attend {

std::span<const std::byte> ByteReader::take(std::uint64_t count) {
  if (count > left())
    throw DataError(fmt::format("{}: expected {} bytes at byte {}, found {}; truncated?", where_,
                                count, position_, left()));
  const auto taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
  position_ += taken.size();
  return taken;
}

std::string_view ByteReader::text(std::uint64_t count) {
  const auto taken = take(count);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::vector<std::byte> read_range(const InputFile& file, std::uint64_t begin, std::uint64_t count,
                                  std::string_view what) {
  if (begin > file.size() || count > file.size() - begin)
    throw DataError(
        fmt::format("{}: expected {} bytes of {} at byte {}, found {} bytes in all; "
                    "truncated?",
                    file.path(), count, what, begin, file.size()));
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read(begin, bytes);
  return bytes;
}

}  // namespace attend
