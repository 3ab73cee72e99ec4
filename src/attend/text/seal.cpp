#include "attend/text/seal.h"

#include <zlib.h>

#include <array>
#include <cstdint>

namespace attend::detail {
namespace {

constexpr std::string_view kTag = "\xCD\x0C";  // the varint 201 << 3 | 5: field 201, four bytes
constexpr std::size_t kSealBytes = kTag.size() + 4;

// The checksum of `model` as protobuf writes a fixed32: low byte first.
std::array<char, 4> checksum(std::string_view model) {
  const auto sum = static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(model.data()), model.size()));
  std::array<char, 4> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(sum >> (8 * i) & 0xFF);
  return bytes;
}

}  // namespace

std::string seal(std::string model) {
  const auto sum = checksum(model);
  model.append(kTag).append(sum.data(), sum.size());
  return model;
}

Seal check_seal(std::string_view model) {
  if (model.size() < kSealBytes || model.substr(model.size() - kSealBytes, kTag.size()) != kTag) return Seal::none;
  const auto sum = checksum(model.substr(0, model.size() - kSealBytes));
  return model.substr(model.size() - sum.size()) == std::string_view(sum.data(), sum.size()) ? Seal::good : Seal::broken;
}

}  // namespace attend::detail
