#include "attend/documents/marks/marked_text.h"

#include <gtest/gtest.h>

#include "documents/random_markup.h"

namespace attend {
namespace {

std::string as_it_is(std::string_view text) { return std::string(text); }

// A text of one sentence whose words are translated by a text with this alignment.
TranslatedText translated(const std::string& text, const std::string& translation,
                          std::vector<std::pair<int, int>> alignment) {
  Translation only;
  TranslationCandidate& candidate = only.candidates.emplace_back();
  candidate.text = translation;
  candidate.alignment = std::move(alignment);
  return {text, {{0, text.size()}}, {only}};
}

TEST(MarkedText, MarksFollowTheirWords) {
  const MarkedText text{.text = "a red dog", .marks = {{2, 5, "<b>", "</b>"}}};
  EXPECT_EQ(with_marks(text, translated("a red dog", "un chien rouge", {{0, 0}, {2, 1}, {1, 2}}), 0,
                       as_it_is),
            "un chien <b>rouge</b>");
}

TEST(MarkedText, MarksOfWordsThatAreApartHoldMostOfThem) {
  const MarkedText text{.text = "has seen it", .marks = {{0, 8, "<i>", "</i>"}}};
  EXPECT_EQ(with_marks(text,
                       translated("has seen it", "hat dies alles gesehen",
                                  {{0, 0}, {2, 1}, {2, 2}, {1, 3}}),
                       0, as_it_is),
            "hat dies alles <i>gesehen</i>");
}

TEST(MarkedText, NoMarkWithWordsIsLost) {
  const MarkedText text{.text = "a b", .marks = {{0, 1, "<i>", "</i>"}, {2, 3, "<b>", "</b>"}}};
  EXPECT_EQ(with_marks(text, translated("a b", "x y", {{0, 0}, {0, 1}}), 0, as_it_is),
            "<i>x</i> <b>y</b>");
}

TEST(MarkedText, MarksWithinAWordHoldTheSameCharactersOrAsMany) {
  const MarkedText text{.text = "unbelievable", .marks = {{0, 2, "<b>", "</b>"}}};
  for (const auto& [translation, marked] :
       std::vector<std::pair<std::string, std::string>>{{"Unglaublich", "<b>Un</b>glaublich"},
                                                        {"incroyable", "<b>in</b>croyable"},
                                                        {"x", "<b>x</b>"},
                                                        {"e\xCC\x81tat", "<b>e\xCC\x81</b>tat"}})
    EXPECT_EQ(with_marks(text, translated(text.text, translation, {{0, 0}}), 0, as_it_is), marked);
}

TEST(MarkedText, PunctuationStaysWhereItIsInTheSource) {
  const MarkedText text{.text = "(see here), then", .marks = {{1, 9, "<a>", "</a>"}}};
  EXPECT_EQ(with_marks(text, translated(text.text, "(siehe hier), dann", {{0, 0}, {1, 1}, {2, 2}}),
                       0, as_it_is),
            "(<a>siehe hier</a>), dann");
}

TEST(MarkedText, PointsStayInTheMarkThatHoldsThem) {
  const MarkedText text{.text = "a b c",
                        .marks = {{0, 1, "<a>", "</a>"},
                                  {1, 1, "<img>", "", 0},
                                  {2, 2, "<u>", "</u>"},
                                  {2, 2, "<br>", "", 2}}};
  EXPECT_EQ(with_marks(text, translated("a b c", "x y z", {{2, 0}, {1, 1}, {0, 2}}), 0, as_it_is),
            "x <u><br></u>y <a>z<img></a>");
}

TEST(MarkedText, PointsKeepTheSpacesAroundThem) {
  const MarkedText text{.text = "Use  now", .marks = {{4, 4, "<code>x</code>", ""}}};
  for (const char* const translation : {"Nutze jetzt", "Nutze  jetzt"})
    EXPECT_EQ(with_marks(text, translated(text.text, translation, {{0, 0}, {1, 1}}), 0, as_it_is),
              "Nutze <code>x</code> jetzt")
        << translation;
}

TEST(MarkedText, MarksInScriptsWithoutSpacesStandAtTheirRelativePlace) {
  const MarkedText english{.text = "Berlin and Paris",
                           .marks = {{0, 6, "<a>", "</a>"}, {11, 16, "<b>", "</b>"}}};
  EXPECT_EQ(with_marks(english, translated(english.text, "柏林和巴黎", {{0, 0}}), 0, as_it_is),
            "<a>柏林</a>和<b>巴黎</b>");
  const MarkedText chinese{.text = "柏林和巴黎",
                           .marks = {{0, 6, "<a>", "</a>"}, {9, 15, "<b>", "</b>"}}};
  EXPECT_EQ(with_marks(chinese, translated(chinese.text, "Berlin and Paris", {{0, 0}, {0, 1}}), 0,
                       as_it_is),
            "<a>Berlin</a> and <b>Paris</b>");
}

TEST(MarkedText, EveryMarkOfRandomTextsStandsOnceWithinItsParent) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    RandomMarkup random(seed);
    const MarkedText source = random.marked_text();
    const TranslatedText translation = random.translation(source.text);
    const std::string out = with_marks(source, translation, 0, as_it_is);
    ASSERT_EQ(fault_of(source, translation.translation(0), out), "")
        << seed << ": " << source.text << "\n"
        << out;
  }
}

TEST(MarkedText, RunsOfRandomTextsHoldAllOfIt) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    RandomMarkup random(seed);
    const MarkedText source = random.runs();
    const TranslatedText translation = random.translation(source.text);
    const std::string out = with_marks(source, translation, 0, as_it_is);
    ASSERT_EQ(fault_of(source, translation.translation(0), out), "")
        << seed << ": " << source.text << "\n"
        << out;
  }
}

TEST(MarkedText, PointsWithoutTextAreWrittenOnce) {
  const MarkedText text{.text = "a b", .marks = {{2, 2, "<br>", ""}}};
  EXPECT_EQ(with_marks(text, translated("a b", "x y", {{0, 0}, {1, 1}}), 0, as_it_is), "x <br>y");
  EXPECT_EQ(with_marks(text, translated("a b", "x y z", {{1, 0}, {0, 1}, {1, 2}}), 0, as_it_is),
            "<br>x y z");
}

TEST(MarkedText, WordsAreEscapedAndMarksAreNot) {
  const MarkedText text{.text = "a", .marks = {{0, 1, "<b>", "</b>"}}};
  EXPECT_EQ(with_marks(text, translated("a", "<", {{0, 0}}), 0,
                       [](std::string_view) { return std::string("&lt;"); }),
            "<b>&lt;</b>");
}

}  // namespace
}  // namespace attend
