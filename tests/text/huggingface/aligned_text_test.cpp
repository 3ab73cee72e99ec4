#include "attend/text/huggingface/aligned_text.h"

#include <gtest/gtest.h>

#include <string>

namespace attend::detail {
namespace {

void expect_source(AlignedText::Source source, std::size_t begin, std::size_t end) {
  EXPECT_EQ(source.begin, begin);
  EXPECT_EQ(source.end, end);
}

TEST(AlignedText, KnowsWhereItsBytesComeFrom) {
  const AlignedText text("aä", 10);
  EXPECT_EQ(text.bytes(), "aä");
  expect_source(text.source(0), 10, 11);
  expect_source(text.source(1), 11, 13);
  expect_source(text.source(2), 11, 13);
  expect_source(text.source(0, 3), 10, 13);
}

TEST(AlignedText, ReplacesBytesThatAreNotUtf8) {
  const AlignedText text(
      "a\xFF"
      "b");
  EXPECT_EQ(text.bytes(), "a\uFFFDb");
  expect_source(text.source(1), 1, 2);
  expect_source(text.source(3), 1, 2);
  expect_source(text.source(4), 2, 3);
}

TEST(AlignedText, KeepsSourcesWhenCharactersChange) {
  AlignedText text("Aẞb");
  change_characters(text, [](char32_t c, AlignedText::Source source, AlignedText& result) {
    if (c == U'ẞ') result.append("ss", source);
    if (c == U'b') result.append(U'ä', source);
  });
  EXPECT_EQ(text.bytes(), "ssä") << "A is gone";
  expect_source(text.source(0), 1, 4);
  expect_source(text.source(1), 1, 4);
  expect_source(text.source(2, 4), 4, 5);
}

TEST(AlignedText, BeginsWithWhatIsPutBeforeIt) {
  AlignedText text("ab");
  prepend(text, "\u2581");
  EXPECT_EQ(text.bytes(), "\u2581ab");
  expect_source(text.source(0), 0, 1);
  expect_source(text.source(3), 0, 1);
  expect_source(text.source(4), 1, 2);
}

TEST(AlignedText, TakesPartsOfOthers) {
  const AlignedText whole("abcd");
  AlignedText part;
  EXPECT_TRUE(part.empty());
  part.append(whole, 1, 3);
  part.move_last_character({.begin = 3, .end = 4});
  EXPECT_EQ(part.bytes(), "bc");
  expect_source(part.source(0), 1, 2);
  expect_source(part.source(1), 3, 4);
  EXPECT_EQ(part.bytes(1, 2), "c");
}

}  // namespace
}  // namespace attend::detail
