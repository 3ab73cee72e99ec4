#include "attend/core/files/packed/tar_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

struct Field {
  std::size_t begin, size;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kChecksum{148, 8}, kMagic{257, 5}, kPrefix{345, 155};
constexpr std::size_t kType = 156;
constexpr std::uint64_t kMostExtension = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostSize = std::uint64_t{1} << 50;

std::string_view field_of(std::string_view header, Field field) {
  return header.substr(field.begin, field.size);
}

// Up to the first zero byte.
std::string_view text_of(std::string_view field) { return field.substr(0, field.find('\0')); }

// Octal digits between blanks, or of GNU, after the byte 0x80, a big-endian number.
std::optional<std::uint64_t> number_of(std::string_view field) {
  std::uint64_t number = 0;
  if (field[0] == '\x80') {
    for (const char c : field.substr(1)) {
      if (number >> 55 != 0) return std::nullopt;
      number = number << 8 | static_cast<unsigned char>(c);
    }
    return number;
  }
  field = text_of(field);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  field = field.substr(0, field.find(' '));
  const auto [end, error] =
      std::from_chars(field.data(), field.data() + field.size(), number, /*base=*/8);
  if (error == std::errc::invalid_argument && field.empty()) return 0;
  if (error != std::errc() || end != field.data() + field.size()) return std::nullopt;
  return number;
}

bool has_checksum(std::string_view header) {
  const auto expected = number_of(field_of(header, kChecksum));
  std::uint64_t sum = 8 * static_cast<unsigned char>(' ');  // the field itself counts as blanks
  for (std::size_t i = 0; i < header.size(); ++i)
    if (i < kChecksum.begin || i >= kChecksum.begin + kChecksum.size)
      sum += static_cast<unsigned char>(header[i]);
  return expected && *expected == sum;
}

bool is_zero(std::string_view bytes) {
  return bytes.find_first_not_of('\0') == std::string_view::npos;
}

std::uint64_t filling_after(std::uint64_t size) {
  return (kTarHeaderBytes - size % kTarHeaderBytes) % kTarHeaderBytes;
}

std::string name_in(std::string_view header) {
  const std::string_view name = text_of(field_of(header, kName));
  const std::string_view prefix = text_of(field_of(header, kPrefix));
  const bool has_prefix = field_of(header, kMagic) == "ustar" && header[kMagic.begin + 5] == '\0';
  return has_prefix && !prefix.empty() ? fmt::format("{}/{}", prefix, name) : std::string(name);
}

}  // namespace

bool is_tar(std::string_view begin) {
  return begin.size() >= kTarHeaderBytes && !is_zero(begin.substr(0, kTarHeaderBytes)) &&
         has_checksum(begin.substr(0, kTarHeaderBytes));
}

void TarReader::refuse(std::string_view why) const {
  throw DataError(fmt::format("{}: damaged tar archive: {}; fetch it again", archive_, why));
}

std::size_t TarReader::fill(char* to, std::size_t size) {
  std::size_t filled = 0;
  while (filled < size) {
    const std::size_t count = source_->read(to + filled, size - filled);
    if (count == 0) break;
    filled += count;
  }
  return filled;
}

void TarReader::skip(std::uint64_t bytes) {
  std::array<char, 1 << 16> buffer;
  while (bytes > 0) {
    const std::size_t count =
        source_->read(buffer.data(), std::min<std::uint64_t>(bytes, buffer.size()));
    if (count == 0) refuse("it ends too early");
    bytes -= count;
  }
}

std::string TarReader::read_text(std::uint64_t bytes) {
  if (bytes > kMostExtension) refuse("a name is too long");
  std::string text(static_cast<std::size_t>(bytes), '\0');
  if (fill(text.data(), text.size()) < text.size()) refuse("it ends too early");
  skip(filling_after(bytes));
  return text;
}

// False at the end: a block of zeros, or of some writers nothing.
bool TarReader::read_header(char (&header)[kTarHeaderBytes]) {
  const std::size_t count = fill(header, kTarHeaderBytes);
  const std::string_view bytes(header, count);
  if (is_zero(bytes)) return false;
  if (count < kTarHeaderBytes) refuse("it ends too early");
  if (!has_checksum(bytes)) refuse("the checksum of a header is wrong");
  return true;
}

// What a pax header ("27 path=...\n") or a long name of GNU says of the next entry.
void TarReader::extend_by(char type, std::uint64_t size) {
  const std::string text = read_text(size);
  if (type == 'L') extension_.name = text_of(text);
  if (type != 'x') return;
  for (std::string_view rest = text; !rest.empty();) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), length);
    const auto begin = static_cast<std::size_t>(end - rest.data()) + 1;
    if (error != std::errc() || length > rest.size() || length <= begin)
      refuse("a pax header is malformed");
    const std::string_view record = rest.substr(begin, length - begin - 1);
    rest.remove_prefix(length);
    const std::string_view value = record.substr(std::min(record.find('=') + 1, record.size()));
    if (record.starts_with("path=")) extension_.name = value;
    if (!record.starts_with("size=")) continue;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), extension_.size);
    if (parsed.ec != std::errc() || extension_.size < 0) refuse("a pax header is malformed");
  }
}

bool TarReader::next() {
  skip(left_ + filling_);
  left_ = filling_ = 0;
  char header[kTarHeaderBytes];
  while (read_header(header)) {
    const std::string_view bytes(header, kTarHeaderBytes);
    const char type = header[kType];
    const auto size = number_of(field_of(bytes, kSize));
    if (!size || *size > kMostSize) refuse("the size of a file is no number");
    if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
      extend_by(type, *size);
      continue;
    }
    const Extension extension = std::exchange(extension_, {});
    name_ = extension.name.empty() ? name_in(bytes) : extension.name;
    const std::uint64_t real_size =
        extension.size >= 0 ? static_cast<std::uint64_t>(extension.size) : *size;
    if (real_size > kMostSize) refuse("the size of a file is no number");
    if (type == 'S') refuse(fmt::format("{} is a sparse file", quote(name_)));
    const bool is_file = (type == '0' || type == '\0' || type == '7') && !name_.ends_with('/');
    if (is_file) {
      left_ = real_size;
      filling_ = filling_after(real_size);
      return true;
    }
    // The size of a link or a folder has no bytes behind it.
    const bool has_bytes = type < '1' || type > '6';
    if (has_bytes) skip(real_size + filling_after(real_size));
  }
  return false;
}

std::size_t TarReader::read(char* to, std::size_t capacity) {
  if (left_ == 0) return 0;
  const std::size_t count = source_->read(to, std::min<std::uint64_t>(capacity, left_));
  if (count == 0) refuse("it ends too early");
  left_ -= count;
  return count;
}

}  // namespace attend::detail
