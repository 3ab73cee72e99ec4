// SHA-256 (FIPS 180-4): checksums that publishers of files name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attend {

class Sha256 {
 public:
  void add(std::string_view bytes);
  // The checksum of all bytes so far, as 64 hexadecimal digits in small letters.
  std::string hex() const;

 private:
  static constexpr std::size_t kBlockBytes = 64;

  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, kBlockBytes> waiting_{};
  std::uint64_t count_ = 0;  // bytes added
};

// The checksum of a file. Throws IoError if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace attend
