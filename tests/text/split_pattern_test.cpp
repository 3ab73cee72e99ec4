#include "attend/text/split_pattern.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "attend/error.h"
#include "attend/text/byte_bpe.h"

namespace attend {
namespace {

using Parts = std::vector<std::string_view>;

Parts split(std::string_view pattern, std::string_view text) {
  Parts parts{text};
  detail::SplitPattern(pattern).split(parts);
  return parts;
}

TEST(SplitPattern, CutsAsGpt2Does) {
  EXPECT_EQ(split(detail::kGpt2Pattern, "I'll pay 12€  now \n"),
            (Parts{"I", "'ll", " pay", " 12", "€", " ", " now", " \n"}));
}

TEST(SplitPattern, KeepsWhatStandsBetweenMatches) {
  EXPECT_EQ(split("[0-9]", "ab12c"), (Parts{"ab", "1", "2", "c"}));
  EXPECT_EQ(split("x", ""), Parts{});
  EXPECT_EQ(split("y*", "abyc"), (Parts{"ab", "y", "c"})) << "a match of nothing cuts nothing";
}

TEST(SplitPattern, HasTheSpacesOfUnicode) {
  EXPECT_EQ(split(R"(\s)", "a\u180Eb\u0085c"), (Parts{"a\u180Eb", "\u0085", "c"}));
  EXPECT_EQ(split(R"([^\S\n]+)", "a \u2003\nb"), (Parts{"a", " \u2003", "\nb"}));
  EXPECT_EQ(split(R"(\\s)", "a \\s"), (Parts{"a ", "\\s"})) << "a backslash and an s";
}

TEST(SplitPattern, RefusesWhatIsNoPattern) {
  for (const char* pattern :
       {"(", "[a", R"(\w+)", R"(\bx)", R"(\Qx\E)", R"(a\)", "\xFF", "(?<=a+)b"})
    EXPECT_THROW(detail::SplitPattern{pattern}, DataError) << pattern;
  EXPECT_THROW(detail::SplitPattern(std::string(5000, 'a')), DataError);
}

TEST(SplitPattern, RefusesTextThatTakesAPatternForever) {
  const std::clock_t begin = std::clock();
  EXPECT_THROW(split("(a|aa)+$", std::string(5000, 'a') + "b"), DataError);
  EXPECT_LT(std::clock() - begin, 5 * CLOCKS_PER_SEC);
}

}  // namespace
}  // namespace attend
