// Reads the fields of a serialized protobuf message ("wire format"). Private to text/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace attend::detail {

// The encoding of a field; deprecated groups are rejected.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t value = 0;  // of numbers
  std::string_view bytes;   // of strings and embedded messages
  std::string_view whole;   // the field with its tag

  bool is(std::uint32_t n, WireType t) const { return number == n && type == t; }
};

// Reads the fields in order. Views refer to the message.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  // False at the end. Throws DataError for bytes that are not a message, or that protobuf's own
  // reader could read differently.
  bool next(WireField& field);

 private:
  std::uint64_t varint(std::size_t most_bytes);
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
};

}  // namespace attend::detail
