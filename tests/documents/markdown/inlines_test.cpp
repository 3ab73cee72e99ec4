#include "attend/documents/markdown/inlines.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

// The tokens: texts as they say, all others in braces as they are written.
std::string tokens_of(const std::string& text, const Blocks& document = {}) {
  std::string all;
  for (const Token& token : inlines_of(text, document))
    all += token.kind == TokenKind::text ? token.said : "{" + token.raw + "}";
  return all;
}

TEST(MarkdownInlines, EmphasisAndLinksAreMarks) {
  EXPECT_EQ(tokens_of("*a **b*** ~~c~~ d_e_f"), "{*}a {**}b{**}{*} {~~}c{~~} d_e_f");
  EXPECT_EQ(tokens_of("[a *b*](c \"d\") ![e](f)"), "{[}a {*}b{*}{](c \"d\")} {![}e{](f)}");
  EXPECT_EQ(tokens_of("[a [b](c) d](e)"), "[a {[}b{](c)} d](e)");
  EXPECT_EQ(tokens_of("*a [b*](c)"), "*a {[}b*{](c)}");
}

TEST(MarkdownInlines, ReferencesKeepTheirLabels) {
  const Blocks document{.leaves = {}, .labels = {"a b"}, .footnotes = {"^1"}};
  EXPECT_EQ(tokens_of("[A\nb] [c][a b] [A b][] [d]", document),
            "{[}A b{][A b]} {[}c{][a b]} {[}A b{][A b]} [d]");
  EXPECT_EQ(tokens_of("a[^1] b[^2]", document), "a{[^1]} b[^2]");
}

TEST(MarkdownInlines, CodeAddressesAndTagsArePoints) {
  EXPECT_EQ(tokens_of("`a *b` ``c`d`` `e"), "{`a *b`} {``c`d``} `e");
  EXPECT_EQ(tokens_of("<http://a> http://b."), "{<http://a>} {http://b}.");
  EXPECT_EQ(tokens_of("<b>a</b><br><kbd>x</kbd>"), "{<b>}a{</b>}{<br>}{<kbd>x</kbd>}");
}

TEST(MarkdownInlines, EscapesAreReadAndLinesJoined) {
  EXPECT_EQ(tokens_of("\\*a\\b &amp; &ouml;"), "*a\\b & ö");
  EXPECT_EQ(tokens_of("a&nbsp;b&#9;c"), "a{&nbsp;}b{&#9;}c");
  EXPECT_EQ(tokens_of("a \nb  \nc\\\nd"), "a b{  \n}c{\\\n}d");
  EXPECT_EQ(inlines_of("a\nb  \nc", {})[1].line, 1u);
}

}  // namespace
}  // namespace attend::markdown
