#include "attend/text/sentencepiece/wire_writer.h"

#include <bit>

#include "attend/text/sentencepiece/wire_reader.h"

namespace attend::detail {
namespace {

std::uint64_t tag_of(std::uint32_t field, WireType type) {
  return std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type);
}

}  // namespace

void WireWriter::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_ += static_cast<char>(value | 0x80);
  message_ += static_cast<char>(value);
}

void WireWriter::number(std::uint32_t field, std::uint64_t value) {
  varint(tag_of(field, WireType::varint));
  varint(value);
}

void WireWriter::number(std::uint32_t field, float value) {
  varint(tag_of(field, WireType::fixed32));
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (int shift = 0; shift < 32; shift += 8) message_ += static_cast<char>(bits >> shift);
}

void WireWriter::bytes(std::uint32_t field, std::string_view value) {
  varint(tag_of(field, WireType::bytes));
  varint(value.size());
  message_ += value;
}

}  // namespace attend::detail
