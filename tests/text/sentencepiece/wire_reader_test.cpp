#include "attend/text/sentencepiece/wire_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"

namespace attend::detail {
namespace {

using namespace std::string_view_literals;

WireField only_field(std::string_view message) {
  WireReader reader(message);
  WireField field, other;
  EXPECT_TRUE(reader.next(field));
  EXPECT_FALSE(reader.next(other)) << "one field";
  EXPECT_EQ(field.whole, message);
  return field;
}

TEST(WireReader, ReadsEveryKindOfField) {
  EXPECT_EQ(only_field("\x08\x96\x01").value, 150u);  // the example of the specification
  EXPECT_EQ(only_field("\x12\x03"
                       "abc")
                .bytes,
            "abc");
  EXPECT_EQ(only_field("\x1D\x01\x02\x03\x04").value, 0x04030201u);
  EXPECT_EQ(only_field("\x21\x01\x02\x03\x04\x05\x06\x07\x88").value, 0x8807060504030201u);
  EXPECT_TRUE(only_field("\x12\x00"sv).is(2, WireType::bytes));
}

TEST(WireReader, ReadsTheLargestNumbers) {
  EXPECT_EQ(only_field("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01").value, ~std::uint64_t{0});
  EXPECT_EQ(only_field("\xF8\xFF\xFF\xFF\x0F\x01").number, (1u << 29) - 1);
}

TEST(WireReader, EndsWithItsMessage) {
  WireReader reader("");
  WireField field;
  EXPECT_FALSE(reader.next(field));
}

TEST(WireReader, RefusesWhatIsNoMessage) {
  for (const std::string_view message :
       {"\x08"sv, "\x08\x80"sv,
        "\x12\x03"
        "ab"sv,
        "\x12\xFF\xFF\xFF\xFF\x0F"
        "ab"sv,
        "\x1D\x01"sv, "\x21\x01\x02\x03\x04"sv, "\x00\x01"sv, "\x0B"sv, "\x0C"sv, "\x0E\x01"sv,
        "\x0F\x01"sv, "\x80\x80\x80\x80\x10\x01"sv, "\x88\x80\x80\x80\x80\x00\x01"sv,
        "\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"sv}) {
    WireReader reader(message);
    WireField field;
    EXPECT_THROW(reader.next(field), DataError) << testing::PrintToString(std::string(message));
  }
}

}  // namespace
}  // namespace attend::detail
