#include "attend/documents/sentences/sentences.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

std::vector<std::string> sentences(std::string_view text, std::string_view language = "en") {
  std::vector<std::string> found;
  for (const TextSpan span : find_sentences(text, language)) found.emplace_back(span.of(text));
  return found;
}
using Texts = std::vector<std::string>;

TEST(Sentences, EndAtMarksBeforeWhatCanBeginOne) {
  EXPECT_EQ(sentences("A dog. A cat! Who? 3 mice..."),
            (Texts{"A dog.", "A cat!", "Who?", "3 mice..."}));
  EXPECT_EQ(sentences("He said \"go.\" She went. (All. Did.)"),
            (Texts{"He said \"go.\"", "She went.", "(All.", "Did.)"}));
  EXPECT_EQ(sentences("Really?! Yes… No"), (Texts{"Really?!", "Yes…", "No"}));
}

TEST(Sentences, DoNotEndWithinThem) {
  for (const char* one : {"Dr. Smith saw it.", "J. S. Bach wrote it.", "It costs 3.50 dollars.",
                          "He came from the U.S. Army.", "Wait... what?", "\"Go!\" said he.",
                          "See example.com for more.", "It is No. 5 of ten.", "É. Zola wrote it."})
    EXPECT_EQ(sentences(one), Texts{one});
}

TEST(Sentences, FollowTheRulesOfTheirLanguage) {
  EXPECT_EQ(sentences("Am 3. Oktober war es kalt. Ja.", "de"),
            (Texts{"Am 3. Oktober war es kalt.", "Ja."}));
  EXPECT_EQ(sentences("It was 3. Then 4.", "en"), (Texts{"It was 3.", "Then 4."}));
  EXPECT_EQ(sentences("z.B. Hunde. Nr. 5 lebt.", "de"), (Texts{"z.B. Hunde.", "Nr. 5 lebt."}));
}

TEST(Sentences, OfOtherScriptsNeedNoSpace) {
  EXPECT_EQ(sentences("今日は。元気？はい！"), (Texts{"今日は。", "元気？", "はい！"}));
  EXPECT_EQ(sentences("「行く。」と言った。"), (Texts{"「行く。」", "と言った。"}));
  EXPECT_EQ(sentences("كيف حالك؟ بخير."), (Texts{"كيف حالك؟", "بخير."}));
}

TEST(Sentences, EndAtLineBreaksAndHaveNoSpaceAround) {
  EXPECT_EQ(sentences("  a title \r\n\n\tand a line\u2028more  "),
            (Texts{"a title", "and a line", "more"}));
  EXPECT_EQ(sentences(""), Texts{});
  EXPECT_EQ(sentences(" \n "), Texts{});
}

TEST(Sentences, TakeAnyBytes) {
  const std::string broken = "\xff. A\xc3. \xe2\x80";
  std::string joined;
  for (const std::string& sentence : sentences(broken)) joined += sentence;
  EXPECT_EQ(joined, "\xff.A\xc3.\xe2\x80");
}

Texts cut(std::string_view text, std::size_t most) {
  Texts parts;
  for (const TextSpan span : cut_at_clauses(
           text, {0, text.size()}, [&](std::string_view part) { return part.size() <= most; }))
    parts.emplace_back(span.of(text));
  return parts;
}

TEST(Clauses, AreAsLongAsFits) {
  const std::string text = "one two, three four; five six";
  EXPECT_EQ(cut(text, 100), Texts{text});
  EXPECT_EQ(cut(text, 20), (Texts{"one two, three four;", "five six"}));
  EXPECT_EQ(cut(text, 19), (Texts{"one two,", "three four;", "five six"}));
}

TEST(Clauses, AreCutAtWordsAndWithinWordsIfNeedBe) {
  EXPECT_EQ(cut("one two three", 8), (Texts{"one two", "three"}));
  EXPECT_EQ(cut("abcdefgh ij", 5), (Texts{"abcde", "fgh", "ij"}));
  EXPECT_EQ(cut("äöü", 1), (Texts{"ä", "ö", "ü"})) << "at least one character";
  EXPECT_EQ(cut("一二，三四", 9), (Texts{"一二，", "三四"}));
}

}  // namespace
}  // namespace attend
