#include "attend/text/sentencepiece/wire_writer.h"

#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "attend/text/sentencepiece/wire_reader.h"

namespace attend::detail {
namespace {

TEST(WireWriter, WritesTheExamplesOfTheSpecification) {
  WireWriter writer;
  writer.number(1, std::uint64_t{150});
  writer.bytes(2, "testing");
  EXPECT_EQ(writer.message(), "\x08\x96\x01\x12\x07testing");
}

TEST(WireWriter, WritesWhatTheReaderReads) {
  const std::string long_text(300, 'x');
  WireWriter writer;
  writer.number(1, ~std::uint64_t{0});
  writer.number(100000, std::uint64_t{0});
  writer.number(3, -1.5f);
  writer.bytes(4, long_text);
  writer.bytes(5, "");

  WireReader reader(writer.message());
  WireField field;
  std::string copy;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.value, ~std::uint64_t{0});
  copy += field.whole;
  ASSERT_TRUE(reader.next(field));
  EXPECT_TRUE(field.is(100000, WireType::varint));
  EXPECT_EQ(field.value, 0u);
  copy += field.whole;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(field.value)), -1.5f);
  copy += field.whole;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.bytes, long_text);
  copy += field.whole;
  ASSERT_TRUE(reader.next(field));
  EXPECT_EQ(field.bytes, "");
  copy += field.whole;
  EXPECT_FALSE(reader.next(field));

  WireWriter again;
  again.whole(copy);
  EXPECT_EQ(again.message(), writer.message());
}

}  // namespace
}  // namespace attend::detail
