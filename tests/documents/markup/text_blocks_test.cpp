#include "attend/documents/markup/text_blocks.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TextBlocks blocks(std::string_view html) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(html, MarkupLanguage::html);
  for (MarkupPiece piece; reader.next(piece);) pieces.push_back(piece);
  return blocks_of(pieces, false);
}

using Strings = std::vector<std::string>;

TEST(TextBlocks, StandBetweenTheTagsOfBlocks) {
  const TextBlocks found = blocks("<p>\n a <b>c</b>\n</p><p> </p>d");
  ASSERT_EQ(found.blocks.size(), 2u);
  EXPECT_EQ(found.between, (Strings{"<p>\n ", "\n</p><p> </p>", ""}));
  EXPECT_EQ(found.blocks[0].text, "a c");
  EXPECT_EQ(found.blocks[1].text, "d");
}

TEST(TextBlocks, HaveTheirTagsAsMarksThatKnowTheirParents) {
  const std::vector<Mark> marks = blocks("a <a><img></a> <b>c<i>d</i></b>").blocks.at(0).marks;
  ASSERT_EQ(marks.size(), 4u);
  const std::vector<int> parents{-1, 0, -1, 2};
  for (std::size_t i = 0; i < marks.size(); ++i) EXPECT_EQ(marks[i].parent, parents[i]) << i;
  EXPECT_TRUE(marks[0].space_after && marks[1].space_after) << "the text has one of two spaces";
  EXPECT_EQ(marks[2].begin, 2u);
  EXPECT_EQ(marks[2].end, 4u);
  EXPECT_EQ(marks[3].close, "</i>");
}

TEST(TextBlocks, KeepTheSpaceBeforeAMarkAtTheirEnd) {
  const MarkedText block = blocks("a <b></b> ").blocks.at(0);
  EXPECT_EQ(block.text, "a ");
  EXPECT_EQ(block.marks.at(0).begin, 2u);
}

TEST(TextBlocks, GoOnBehindComments) {
  EXPECT_EQ(blocks("a <!-- x -->b").blocks.at(0).text, "a b");
}

TEST(TextBlocks, WithTooManyTagsAreCut) {
  std::string html;
  for (int i = 0; i < 2000; ++i) html += "<b>a</b> ";
  const TextBlocks found = blocks(html);
  EXPECT_GT(found.blocks.size(), 1u);
  std::string tags;
  for (const std::string& between : found.between) tags += between;
  for (const MarkedText& block : found.blocks)
    for (const Mark& mark : block.marks) tags += mark.open + mark.close;
  EXPECT_GE(tags.size(), 2000u * 7);
}

}  // namespace
}  // namespace attend
