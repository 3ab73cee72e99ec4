#include "attend/core/strings/quote.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace attend {
namespace {

TEST(Quote, KeepsOrdinaryText) {
  EXPECT_EQ(printable("Grüße, 世界 🙂"), "Grüße, 世界 🙂");
  EXPECT_EQ(quote("d_model"), "'d_model'");
  EXPECT_EQ(quote(""), "''");
}

TEST(Quote, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[31mb\r\n\tc\x7f"), "a\\x1b[31mb\\r\\n\\tc\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\x9b");  // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"
                      "abc"),
            "\\u202eabc");                          // writes from right to left
  EXPECT_EQ(printable("\xe2\x80\xa8"), "\\u2028");  // line separator
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Quote, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xff\xc3"), "a\\xff\\xc3");
  EXPECT_EQ(printable("\xef\xbf\xbd"), "\xef\xbf\xbd");  // the replacement character itself is text
}

TEST(Quote, ShortensBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 6), "abcdef");
  EXPECT_EQ(printable("abcdef", 5), "abcde...");
  EXPECT_EQ(printable("aüb", 2), "a...");
  EXPECT_EQ(quote(std::string(300000, 'x')).size(), std::size_t{60 + 3 + 2});
}

}  // namespace
}  // namespace attend
