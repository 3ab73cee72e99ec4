#include "attend/text/sentencepiece/wire_reader.h"

#include <limits>

#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::size_t kLongestVarint = 10;
constexpr std::size_t kLongestTag = 5;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::string_view WireReader::take(std::uint64_t count) {
  if (count > rest_.size()) throw DataError("a field is longer than what holds it");
  const std::string_view taken = rest_.substr(0, count);
  rest_.remove_prefix(count);
  return taken;
}

std::uint64_t WireReader::varint(std::size_t most_bytes) {
  if (!rest_.empty() && static_cast<unsigned char>(rest_.front()) < 0x80) {  // nearly always
    const auto value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < most_bytes; ++i) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) return value;
  }
  throw DataError("a number does not end");
}

bool WireReader::next(WireField& field) {
  if (rest_.empty()) return false;
  const std::string_view begin = rest_;
  const std::uint64_t tag = varint(kLongestTag);
  field = {};
  field.number = static_cast<std::uint32_t>(tag >> 3);
  if (tag > std::numeric_limits<std::uint32_t>::max() || field.number == 0)
    throw DataError("a field has no number");
  switch (tag & 7) {
    case 0:
      field.type = WireType::varint;
      field.value = varint(kLongestVarint);
      break;
    case 1:
      field.type = WireType::fixed64;
      field.value = little_endian(take(8));
      break;
    case 2:
      field.type = WireType::bytes;
      field.bytes = take(varint(kLongestTag));
      break;
    case 5:
      field.type = WireType::fixed32;
      field.value = little_endian(take(4));
      break;
    default:
      throw DataError("a field has an unknown type");
  }
  field.whole = begin.substr(0, begin.size() - rest_.size());
  return true;
}

}  // namespace attend::detail
