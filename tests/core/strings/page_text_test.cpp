#include "attend/core/strings/page_text.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/core/strings/utf8.h"
#include "core/page_text.h"

namespace attend {
namespace {

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t at = 0; at < digits.size(); at += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(at, 2), nullptr, 16));
  return bytes;
}

// The page reads the same cases (tests/browser/page_text_test.js).
TEST(PageText, IsThatOfAnotherProgram) {
  std::ifstream cases(ATTEND_SOURCE_DIR "/tests/core/strings/data/page_text_cases.jsonl");
  int count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const nlohmann::json one = nlohmann::json::parse(line);
    const std::string bytes = from_hex(one["bytes"]), text = to_page_text(bytes);
    ASSERT_EQ(text, one["text"].get<std::string>()) << line;
    ASSERT_EQ(from_page_text(text), bytes) << line;
  }
  EXPECT_GT(count, 700);
}

TEST(PageText, HasNothingThatIsChangedOnItsWay) {
  std::string bytes;
  for (int i = 0; i < 1 << 16; ++i) {
    bytes += static_cast<char>(i >> 8);
    bytes += static_cast<char>(i);
  }
  const std::string text = to_page_text(bytes);
  EXPECT_TRUE(is_utf8(text));
  for (const char c : text)
    EXPECT_EQ(std::string_view("\0\b\t\n\v\f\r\x1A\x1B\x1C\x1D\x1E<\x7F", 14).find(c),
              std::string_view::npos)
        << int{c};
}

TEST(PageText, HasEightBytesForSeven) {
  std::string bytes;
  std::uint32_t seed = 1;
  for (int i = 0; i < 70'000; ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes += static_cast<char>(seed >> 24);
  }
  EXPECT_LE(to_page_text(bytes).size(), 80'002u);
  EXPECT_LE(to_page_text(std::string(70'000, '\0')).size(), 80'002u);
  EXPECT_LE(to_page_text(std::string(70'000, '\xFF')).size(), 80'002u);
}

}  // namespace
}  // namespace attend
