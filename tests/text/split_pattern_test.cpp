#include "attend/text/split_pattern.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

#include "attend/error.h"
#include "attend/text/byte_bpe/byte_bpe.h"

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

// What Split with behavior isolated of tokenizers 0.23 gives.
TEST(SplitPattern, ReadsTheSyntaxOfTheTokenizersLibrary) {
  struct Case {
    const char *pattern, *text;
    Parts parts;
  };
  const std::vector<Case> cases{
      {R"(\h)", "ab f g\tz9", {"a", "b", " ", "f", " g\tz", "9"}},
      {R"(\H)", "ab g", {"ab", " ", "g"}},
      {".", "a\nb\r", {"a", "\n", "b", "\r"}},
      {"(?m)a.b", "a\nb", {"a\nb"}},
      {"^b", "a\nb", {"a\n", "b"}},
      {"a$", "a\nb", {"a", "\nb"}},
      {R"(\R)", "a\r\nb\u2028c\x0b", {"a", "\r\n", "b", "\u2028", "c", "\x0b"}},
      {R"(a{2}?)", "aaaa", {"aa", "aa"}},
      {R"(a{2}+)", "aaaaab", {"aaaa", "ab"}},
      {R"((?:ba){1,2}+)", "babababac", {"babababa", "c"}},
      {"a{,2}", "aaab", {"aa", "a", "b"}},
      {"a{", "a{", {"a{"}},
      {"a(?i)b|c", "aB C c ac aC", {"aB", " C c ", "ac", " ", "aC"}},
      {"(?i)a(?-i)b", "Ab AB", {"Ab", " AB"}},
      {"(?i:'s)", "'ſ", {"'ſ"}},
      {R"(\u0041)", "Ab", {"A", "b"}},
      {R"(\x{41})", "Ab", {"A", "b"}},
      {R"(\v)", "a\x0b\n", {"a", "\x0b", "\n"}},
      {R"(\Q.\E)", "a.Q.E", {"a.", "Q.E"}},
      {R"(\w+)", "aé1_-b²", {"aé1_", "-", "b²"}},
      {R"([^\s\w]+)", "a-.b", {"a", "-.", "b"}},
      {R"(\bb\w)", "abc bc", {"abc ", "bc"}},
      {"[[:alpha:]]+", "aé1", {"aé", "1"}},
      {"[[:^alpha:]]", "a1", {"a", "1"}},
      {"[[:punct:]]", "a$+`", {"a", "$", "+", "`"}},
      {R"(\p{^L})", "a1", {"a", "1"}},
      {R"(\p{Letter}+)", "ab1", {"ab", "1"}},
      {R"(\p{Han}+)", "京、々a", {"京", "、", "々", "a"}},
      {R"((.)\1)", "aabc", {"aa", "bc"}},
      {R"(b\Kc)", "abcd", {"ab", "c", "d"}},
      {"(?#c)a", "ab", {"a", "b"}},
      {"[]a]", "]b", {"]", "b"}},
      {"[a[]b]]", "a]b[", {"a", "]", "b", "["}},
      {"[x[^a]]", "aAx", {"a", "A", "x"}},
      {R"((?i)\p{ASCII})", "aK", {"a", "K"}},
      {"[[b]-c]", "b-c", {"b", "-", "c"}},
      {"[--/]", "-./x", {"-", ".", "/", "x"}},
      {"[a-c-e]", "abde-", {"a", "b", "d", "e", "-"}},
      {"[a&b]", "a&b", {"a", "&", "b"}},
      {"[&&a]", "a&", {"a&"}},
      {"[a-z&&[^b]&&[^c]]", "abcd", {"a", "bc", "d"}},
      {R"([a\W])", "ab½", {"a", "b", "½"}},
      {R"(\W)", "b½", {"b½"}},
      {R"(\P{Lt}?\P{Nd})", "ab", {"ab"}},
      {"é{2}+", "ééé", {"éé", "é"}},
      {R"((?<n>a)(?<n>b))", "abc", {"ab", "c"}}};
  for (const Case& one : cases) EXPECT_EQ(split(one.pattern, one.text), one.parts) << one.pattern;
}

// PCRE2 itself takes the group for one that must match.
TEST(SplitPattern, GoesBackBeforeAnAtomicGroupThatMatchesNothing) {
  for (const char* pattern : {"a*(?:b)?+[a-c]", "a*(?>b|)[a-c]", "a*(?>(?:b)?)[a-c]",
                              "a*(?:b){0,1}[a-c]", "a*(b)*+[a-c]"})
    EXPECT_EQ(split(pattern, "xaay"), (Parts{"x", "aa", "y"})) << pattern;
}

TEST(SplitPattern, RefusesWhatIsNoPattern) {
  for (const char* pattern :
       {"(",         "[a",          R"(\X)",     R"(\y)",           R"((?s:.))",      R"((?x) a)",
        R"((?~ab))", R"((*FAIL)a)", R"(\pL)",    R"(\p{Nothing})",  R"(\xE9)",        R"((?i)ss)",
        R"((?i)ß)",  R"((?P<n>a))", ")",         R"((?<n>a)\k<n>)", "[a-[b]]",        R"(a\)",
        "\xFF",      "(?<=a+)b",    R"([a-\d])", R"([\d-x])",       R"((?i)[\p{L}])", "(?i)[a[b]]",
        "[^[^a]b]",  "[[:alpha]",   "[b-a]",     "[[:foo:]]"})
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
