// Reads the fields of a protobuf message as they stand in its bytes ("wire format"). Private to
// text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attend::detail {

// How a field is written; groups, which nobody writes any more, are refused.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  // of a number
  std::string_view bytes;   // of a string or an embedded message
  std::string_view whole;   // the field with its tag

  bool is(std::uint32_t n, WireType t) const { return number == n && type == t; }
};

// Gives the fields one after the other. Views refer to the message.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // False at the end. Throws DataError for bytes that are no message, or that protobuf's own reader
  // could read in another way.
  bool next(WireField& field);

 private:
  std::uint64_t varint(std::size_t most_bytes);
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

}  // namespace attend::detail
