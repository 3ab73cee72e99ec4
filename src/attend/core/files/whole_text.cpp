#include "attend/core/files/whole_text.h"

#include <fmt/format.h>

#include <array>
#include <memory>

#include "attend/core/files/byte_source.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {

namespace {

std::string all_of(detail::ByteSource& source, const std::string& name) {
  std::string text;
  std::array<char, 1 << 16> part;
  while (const std::size_t count = source.read(part.data(), part.size()))
    text.append(part.data(), count);
  if (!is_utf8(text)) throw DataError(fmt::format("{}: expected UTF-8", name));
  return text;
}

}  // namespace

std::string whole_text(int descriptor, const std::string& name) {
  return all_of(*detail::open_bytes(descriptor, name), name);
}

std::string whole_text(std::istream& stream, const std::string& name) {
  return all_of(*detail::open_bytes(stream, name), name);
}

}  // namespace attend
