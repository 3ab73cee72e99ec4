#include "attend/text/byte_bpe/byte_letters.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace attend::detail {
namespace {

TEST(ByteLetters, AreThoseOfGpt2) {
  EXPECT_EQ(letter_of(' '), "Ġ");
  EXPECT_EQ(letter_of('\n'), "Ċ");
  EXPECT_EQ(letter_of('\0'), "Ā");
  EXPECT_EQ(letter_of('!'), "!");
  EXPECT_EQ(letter_of('~'), "~");
  EXPECT_EQ(letter_of(0x7F), "ġ");
  EXPECT_EQ(letter_of(0xA0), "ł");
  EXPECT_EQ(letter_of(0xA1), "¡");
  EXPECT_EQ(letter_of(0xAD), "Ń") << "a soft hyphen cannot be seen";
  EXPECT_EQ(letter_of(0xFF), "ÿ");
}

TEST(ByteLetters, TellAllBytesApartAndBack) {
  std::string bytes;
  std::set<std::string> letters;
  for (int byte = 0; byte < 256; ++byte) {
    bytes += static_cast<char>(byte);
    letters.insert(letter_of(static_cast<unsigned char>(byte)));
  }
  EXPECT_EQ(letters.size(), 256u);
  EXPECT_EQ(bytes_of_letters(letters_of(bytes)), bytes);
  EXPECT_EQ(letters_of(""), "");
  EXPECT_EQ(bytes_of_letters(""), "");
}

TEST(ByteLetters, StandForNothingElse) {
  for (const char* letters : {" ", "\n", "€", "中", "\u00AD", "Ŋ\u0144\u0145", "\xFF"})
    EXPECT_EQ(bytes_of_letters(letters), std::nullopt) << letters;
}

}  // namespace
}  // namespace attend::detail
