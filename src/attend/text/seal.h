// A checksum inside a serialised SentencePiece model. SentencePiece trusts the bytes it loads and may crash on damaged ones. Private to
// text/.
//
// The seal is one more protobuf field behind the model: field 201 (of the range that ModelProto leaves to others), a fixed 32-bit number
// with the CRC-32 of all bytes before it. Other programs skip the field, so a sealed model is a .model file like any other.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

std::string seal(std::string model);

enum class Seal { none, good, broken };
Seal check_seal(std::string_view model);

}  // namespace attend::detail
