// What loading a model asks of the bytes of its file, which are in host memory whatever the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace attend {

// The CRC-32 of zlib and PNG (polynomial 0x04c11db7, reflected).
std::uint32_t crc32_of(std::span<const std::byte> bytes);

// Whether all f32 values are finite, at any alignment. Bytes after the last whole value do not
// count.
bool all_finite(std::span<const std::byte> numbers);

}  // namespace attend
