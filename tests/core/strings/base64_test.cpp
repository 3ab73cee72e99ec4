#include "attend/core/strings/base64.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/error.h"

namespace attend {
namespace {

// The test vectors of RFC 4648, section 10.
TEST(Base64, WritesAndReadsTheVectorsOfItsStandard) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
}

TEST(Base64, KeepsEveryByte) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (std::size_t length = 250; length <= bytes.size(); ++length)
    EXPECT_EQ(from_base64(to_base64(bytes.substr(0, length))), bytes.substr(0, length));
}

TEST(Base64, RefusesOtherTexts) {
  for (const char* text : {"Z", "Zg", "Zg=", "=", "====", "Z===", "Zg==Zg==", "Zm=v", "Zm 9",
                           "Zm9\n", "Zm9-", "Zm9_", "Zm9\x80"})
    EXPECT_THROW(from_base64(text), DataError) << text;
  EXPECT_THROW(from_base64(std::string_view("Zm9\0", 4)), DataError);
}

}  // namespace
}  // namespace attend
