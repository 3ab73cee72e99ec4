#include "attend/documents/sentences/clauses.h"

#include <gtest/gtest.h>

#include <string>

namespace attend {
namespace {

using Parts = std::vector<std::string>;

Parts cut(std::string_view text, std::size_t most) {
  Parts parts;
  for (const TextSpan span : cut_at_clauses(
           text, {0, text.size()}, [&](std::string_view part) { return part.size() <= most; }))
    parts.emplace_back(span.of(text));
  return parts;
}

TEST(Clauses, AreAsLongAsFits) {
  const std::string text = "one two, three four; five six";
  EXPECT_EQ(cut(text, 100), Parts{text});
  EXPECT_EQ(cut(text, 20), (Parts{"one two, three four;", "five six"}));
  EXPECT_EQ(cut(text, 19), (Parts{"one two,", "three four;", "five six"}));
}

TEST(Clauses, AreCutAtWordsAndWithinWordsIfNeedBe) {
  EXPECT_EQ(cut("one two three", 8), (Parts{"one two", "three"}));
  EXPECT_EQ(cut("one  two", 4), (Parts{"one", "two"})) << "no white space at the end of a part";
  EXPECT_EQ(cut("abcdefgh ij", 5), (Parts{"abcde", "fgh", "ij"}));
  EXPECT_EQ(cut("äöü", 1), (Parts{"ä", "ö", "ü"})) << "at least one character";
  EXPECT_EQ(cut("一二，三四", 9), (Parts{"一二，", "三四"}));
}

}  // namespace
}  // namespace attend
