#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/translation_breakdown.h"

namespace attend {
namespace {

TranslationBreakdown made_up() {
  TranslationBreakdown breakdown;
  breakdown.metrics = {"BLEU", "chrF2"};
  breakdown.source_lengths = {{"0-10", 12, {41.018, 63.1}}, {"61+", 3, {0, 9.5}}};
  breakdown.copied = {{"numbers", {4, 2, 2}}, {"names", {0, 3, 0}}};
  breakdown.negation_known = true;
  breakdown.negated = 5;
  breakdown.not_negated = 10;
  breakdown.lost_negation.lines = {0, 6};
  breakdown.flags = {{"copy", {}}, {"numbers", {2}}, {"length", std::vector<std::int64_t>(12, 8)}};
  return breakdown;
}

TEST(BreakdownTable, HasARowForEachGroup) {
  const std::vector<NamedBreakdown> one{
      {"a name that is not printed: longer than columns", made_up()}};
  EXPECT_EQ(format_breakdown(one),
            "words of the source    lines      BLEU     chrF2\n"
            "0-10                      12     41.02     63.10\n"
            "61+                        3      0.00      9.50\n"
            "\n"
            "words copied from the source    words    recall precision\n"
            "numbers                             4    0.5000    1.0000\n"
            "names                               0         -    0.0000\n"
            "\n"
            "negation       lines     wrong\n"
            "negated            5         2\n"
            "not negated       10         0\n"
            "\n"
            "negation lost: lines 1, 7\n"
            "numbers: line 3\n"
            "length: lines 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 and 2 more\n");
  EXPECT_NE(format_breakdown(one, 1).find("     41.0      63.1\n"), std::string::npos);
}

TEST(BreakdownTable, PutsSystemsSideBySide) {
  TranslationBreakdown other = made_up();
  other.source_lengths[0].scores = {50, 60};
  other.flags[1].lines.clear();
  const std::vector<NamedBreakdown> two{{"one", made_up()},
                                        {"another with a very long name", other}};
  const std::string text = format_breakdown(two);
  EXPECT_EQ(text.find("                                             one  another with a very long "
                      "name\n"
                      "words of the source    lines      BLEU     chrF2                 BLEU     "
                      "chrF2\n"
                      "0-10                      12     41.02     63.10                50.00     "
                      "60.00\n"),
            0u)
      << text;
  EXPECT_NE(text.find("\none\nnegation lost: lines 1, 7\nnumbers: line 3\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\nanother with a very long name\nnegation lost: lines 1, 7\nlength: "),
            std::string::npos)
      << text;
}

TEST(BreakdownTable, RefusesSystemsOnOtherLines) {
  EXPECT_THROW(format_breakdown({}), ConfigError);
  const auto with = [](const auto& change) {
    TranslationBreakdown other = made_up();
    change(other);
    return std::vector<NamedBreakdown>{{"one", made_up()}, {"other", other}};
  };
  EXPECT_THROW(format_breakdown(with([](auto& b) { b.source_lengths[1].lines = 4; })), ConfigError);
  EXPECT_THROW(format_breakdown(with([](auto& b) { b.copied.pop_back(); })), ConfigError);
  EXPECT_THROW(format_breakdown(with([](auto& b) { b.metrics[0] = "TER"; })), ConfigError);
  EXPECT_THROW(format_breakdown(with([](auto& b) { b.flags.pop_back(); })), ConfigError);
  EXPECT_THROW(format_breakdown(with([](auto& b) { b.negation_known = false; })), ConfigError);
}

}  // namespace
}  // namespace attend
