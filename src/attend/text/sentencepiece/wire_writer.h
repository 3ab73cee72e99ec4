// Writes fields of a protobuf message. Private to text/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attend::detail {

class WireWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  void number(std::uint32_t field, float value);
  void bytes(std::uint32_t field, std::string_view value);
  // A field as it was read.
  void whole(std::string_view field) { message_ += field; }

  const std::string& message() const { return message_; }

 private:
  void varint(std::uint64_t value);

  std::string message_;
};

}  // namespace attend::detail
