#include "attend/core/strings/ascii.h"

#include <gtest/gtest.h>

#include <cctype>

namespace attend {
namespace {

TEST(Ascii, AgreesWithTheCLocale) {
  for (int i = -128; i < 128; ++i) {
    const auto c = static_cast<char>(i);
    const auto u = static_cast<unsigned char>(c);
    const bool ascii = i >= 0;
    EXPECT_EQ(is_ascii_digit(c), ascii && std::isdigit(u) != 0) << i;
    EXPECT_EQ(is_ascii_upper(c), ascii && std::isupper(u) != 0) << i;
    EXPECT_EQ(is_ascii_letter(c), ascii && std::isalpha(u) != 0) << i;
    EXPECT_EQ(is_ascii_alphanumeric(c), ascii && std::isalnum(u) != 0) << i;
    EXPECT_EQ(is_ascii_punctuation(c), ascii && std::ispunct(u) != 0) << i;
    EXPECT_EQ(ascii_lower(c), ascii ? static_cast<char>(std::tolower(u)) : c) << i;
  }
}

TEST(WholeNumber, IsTheWholeText) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("-17"), -17);
  EXPECT_EQ(whole_number("9223372036854775807"), INT64_MAX);
  for (const char* text : {"", "-", "+1", " 1", "1 ", "1.0", "0x1", "x", "9223372036854775808"})
    EXPECT_EQ(whole_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace attend
