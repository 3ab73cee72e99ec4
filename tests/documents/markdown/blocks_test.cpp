#include "attend/documents/markdown/blocks.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

// The blocks of text, their lines joined with "/", each after its kind: "p", "h" or "c".
std::vector<std::string> leaves_of(const std::string& markdown) {
  std::vector<std::string> all;
  for (const Leaf& leaf : blocks_of(markdown).leaves) {
    std::string text = leaf.kind == LeafKind::paragraph ? "p" : "h";
    if (leaf.kind == LeafKind::cell) text = "c";
    for (const TextSpan line : leaf.lines) text += "/" + std::string(line.of(markdown));
    all.push_back(text);
  }
  return all;
}

using Leaves = std::vector<std::string>;

TEST(MarkdownBlocks, ParagraphsEndAtBlankLines) {
  EXPECT_EQ(leaves_of("a\n  b \n\nc"), (Leaves{"p/a/b ", "p/c"}));
  EXPECT_EQ(leaves_of("a\r\nb\r\n"), Leaves{"p/a/b"});
}

TEST(MarkdownBlocks, HeadingsAreOfTwoKinds) {
  EXPECT_EQ(leaves_of("# a #\n## \nb\nc\n---\nd"), (Leaves{"h/a", "p/b/c", "p/d"}));
}

TEST(MarkdownBlocks, ContainersHoldBlocks) {
  EXPECT_EQ(leaves_of("> a\n> - b\n>\n>   c\nd\n\n1. e\n   > f"),
            (Leaves{"p/a", "p/b", "p/c/d", "p/e", "p/f"}));
  EXPECT_EQ(leaves_of("- a\n  - b\n- [x] c\n- \n  d"), (Leaves{"p/a", "p/b", "p/c", "p/d"}));
  EXPECT_EQ(leaves_of("[^1]: a\n\n    b\n\nc"), (Leaves{"p/a", "p/b", "p/c"}));
  EXPECT_EQ(leaves_of("a\n2. b\n- c"), (Leaves{"p/a/2. b", "p/c"}));
}

TEST(MarkdownBlocks, CodeHtmlAndFrontMatterHaveNoText) {
  EXPECT_TRUE(leaves_of("---\na: b\n---\n").empty());
  EXPECT_TRUE(leaves_of("```\na\n\nb\n```\n    c\n\n\td\n").empty());
  EXPECT_TRUE(leaves_of("<div>\na\n</div>\n\n<!--\n\na\n-->\n***\n").empty());
  EXPECT_EQ(leaves_of("> ```\n> a\n\nb"), Leaves{"p/b"});
}

TEST(MarkdownBlocks, TablesHaveCells) {
  EXPECT_EQ(leaves_of("x\n| a | b\\|c |\n|---|:-:|\n d | `e` \n\nf"),
            (Leaves{"p/x", "c/a", "c/b\\|c", "c/d", "c/`e`", "p/f"}));
  EXPECT_EQ(leaves_of("a | b\n---|---|---"), Leaves{"p/a | b/---|---|---"});
}

TEST(MarkdownBlocks, DefinitionsHaveLabelsAndNoText) {
  const Blocks blocks = blocks_of("[A]: /a\n[b]: /b\n'title'\nc\n\n- [ ] [d]: /e\n");
  EXPECT_EQ(blocks.labels, (std::set<std::string>{"a", "b"}));
  EXPECT_EQ(blocks.leaves.size(), 2u);
  EXPECT_EQ(blocks_of("[^a]: b").footnotes, std::set<std::string>{"^a"});
  EXPECT_EQ(leaves_of("[a]: /a\n===\n"), Leaves{"p/==="});
}

TEST(MarkdownBlocks, WhatStandsInTooManyContainersStays) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "> ";
  EXPECT_TRUE(leaves_of(deep + "a").empty());
}

}  // namespace
}  // namespace attend::markdown
