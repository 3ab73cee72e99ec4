#include "attend/backend/bytes.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "backend/instruction_set.h"

namespace attend {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::uint32_t crc_of_zlib(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

TEST(Bytes, CrcIsThatOfTheStandard) {
  const std::string_view digits = "123456789";
  EXPECT_EQ(crc32_of(std::as_bytes(std::span(digits))), 0xcbf43926u);
  EXPECT_EQ(crc32_of({}), 0u);
}

TEST(Bytes, CrcIsThatOfZlibAtEverySizeAlignmentAndInstructionSet) {
  const std::vector<std::byte> bytes = random_bytes(100'000);
  for (const std::string& set : usable_instruction_sets()) {
    const ScopedInstructionSet scoped(set);
    for (std::size_t size = 0; size < 600; ++size) {
      const auto part = std::span(bytes).subspan(size % 61, size);
      EXPECT_EQ(crc32_of(part), crc_of_zlib(part)) << size << " bytes";
    }
    EXPECT_EQ(crc32_of(bytes), crc_of_zlib(bytes));
  }
}

TEST(Bytes, FindsTheOnlyNumberThatIsNotFinite) {
  using Limits = std::numeric_limits<float>;
  for (const std::string& set : usable_instruction_sets()) {
    const ScopedInstructionSet scoped(set);
    for (std::size_t size = 1; size < 70; ++size) {
      std::vector<float> numbers(size, Limits::max());
      EXPECT_TRUE(all_finite(std::as_bytes(std::span(numbers))));
      for (std::size_t i = 0; i < size; ++i) {
        for (const float number : {Limits::infinity(), -Limits::infinity(), std::nanf("")}) {
          numbers[i] = number;
          EXPECT_FALSE(all_finite(std::as_bytes(std::span(numbers)))) << i << " of " << size;
        }
        numbers[i] = -Limits::denorm_min();
      }
    }
  }
}

TEST(Bytes, NumbersMayLieAnywhere) {
  std::vector<std::byte> bytes(103);
  const float number = std::numeric_limits<float>::infinity();
  std::memcpy(bytes.data() + 61, &number, sizeof number);
  EXPECT_FALSE(all_finite(std::span(bytes).subspan(1, 100)));
  EXPECT_TRUE(all_finite(std::span(bytes).subspan(1, 63))) << "the last number is not whole";
}

}  // namespace
}  // namespace attend
