#include "attend/documents/marked_text.h"

#include <gtest/gtest.h>

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

TEST(MarkedText, MarksOfWordsThatAreApartAppearTwice) {
  const MarkedText text{.text = "has seen it", .marks = {{0, 8, "<i>", "</i>"}}};
  EXPECT_EQ(with_marks(text, translated("has seen it", "hat es gesehen", {{0, 0}, {2, 1}, {1, 2}}),
                       0, as_it_is),
            "<i>hat</i> es <i>gesehen</i>");
}

TEST(MarkedText, NoMarkWithWordsIsLost) {
  const MarkedText text{.text = "a b", .marks = {{0, 1, "<i>", "</i>"}, {2, 3, "<b>", "</b>"}}};
  const std::string marked =
      with_marks(text, translated("a b", "x y", {{0, 0}, {0, 1}}), 0, as_it_is);
  EXPECT_NE(marked.find("<i>"), marked.npos) << marked;
  EXPECT_NE(marked.find("<b>"), marked.npos) << marked;
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
