#include "attend/core/files/byte_reader.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <span>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

TEST(ByteReader, ReadsLittleEndianNumbersAndText) {
  const std::string bytes(
      "\x01\x02\x03\xFF\xFF"
      "ab",
      7);
  ByteReader reader(std::as_bytes(std::span(bytes)), "file");
  EXPECT_EQ(reader.number<std::uint8_t>(), 1);
  EXPECT_EQ(reader.number<std::uint16_t>(), 0x0302);
  EXPECT_EQ(reader.number<std::int16_t>(), -1);
  EXPECT_EQ(reader.position(), 5u);
  EXPECT_EQ(reader.left(), 2u);
  EXPECT_EQ(reader.text(2), "ab");
  EXPECT_EQ(reader.take(0).size(), 0u);
}

TEST(ByteReader, RefusesToReadPastTheEnd) {
  const std::array<std::byte, 3> bytes{};
  for (const std::uint64_t count :
       {std::uint64_t{4}, std::uint64_t{1} << 32, std::numeric_limits<std::uint64_t>::max()}) {
    ByteReader reader(bytes, "file");
    EXPECT_THROW(reader.take(count), DataError) << count;
    EXPECT_THROW(reader.text(count), DataError) << count;
    EXPECT_EQ(reader.left(), 3u) << "nothing was taken";
  }
  ByteReader reader(bytes, "file");
  EXPECT_THROW(reader.number<std::uint32_t>(), DataError);
  reader.take(2);
  try {
    reader.number<std::uint16_t>();
    FAIL();
  } catch (const DataError& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("file: ")) << error.what();
  }
}

}  // namespace
}  // namespace attend
