#include "attend/core/files/whole_text.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "attend/error.h"

namespace attend {
namespace {

using namespace std::string_literals;

TEST(WholeText, KeepsEveryByte) {
  const std::string text = "\xef\xbb\xbf a\r\nb\n\n\tc \0d"s;
  std::istringstream stream(text);
  EXPECT_EQ(whole_text(stream, "it"), text);
}

TEST(WholeText, IsAsLongAsTheStream) {
  const std::string text(300000, 'x');
  std::istringstream stream(text), empty;
  EXPECT_EQ(whole_text(stream, "it"), text);
  EXPECT_EQ(whole_text(empty, "it"), "");
}

TEST(WholeText, OfOtherBytesIsRefused) {
  std::istringstream stream("caf\xe9");
  try {
    whole_text(stream, "standard input");
    FAIL() << "expected an error";
  } catch (const DataError& error) {
    EXPECT_EQ(std::string(error.what()), "standard input: expected UTF-8");
  }
}

}  // namespace
}  // namespace attend
