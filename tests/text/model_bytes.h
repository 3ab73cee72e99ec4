// SentencePiece models changed in their bytes.
#pragma once

#include <cstdint>
#include <string>

namespace attend {

inline std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// Fields of a protobuf message. One that comes again replaces what came before, or joins it if it
// is a message itself.
inline std::string field(std::uint32_t number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
inline std::string field(std::uint32_t number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}

// Field numbers of a model, of its normalizer and of its trainer.
inline constexpr std::uint32_t kPieceField = 1, kTrainerField = 2, kNormalizerField = 3,
                               kSelfTestField = 4, kDenormalizerField = 5;
inline constexpr std::uint32_t kMapField = 2, kDummyPrefixField = 3, kRemoveSpacesField = 4,
                               kUnknownSurfaceField = 44;

}  // namespace attend
