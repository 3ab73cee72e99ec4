#include "attend/documents/markdown/line_starts.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

TEST(LineStarts, HeadingsHaveUpToSixSigns) {
  EXPECT_EQ(heading_marker("## a"), 3u);
  EXPECT_EQ(heading_marker("#"), 1u);
  EXPECT_EQ(heading_marker("####### a"), 0u);
  EXPECT_EQ(heading_marker("#a"), 0u);
  EXPECT_EQ(heading_text("a ## "), "a");
  EXPECT_EQ(heading_text("a#"), "a#");
  EXPECT_EQ(heading_text("##"), "");
}

TEST(LineStarts, LinesOfOneCharacterAreUnderlinesOrBreaks) {
  EXPECT_TRUE(is_underline("=== "));
  EXPECT_FALSE(is_underline("=-"));
  EXPECT_TRUE(is_thematic_break("* * *"));
  EXPECT_FALSE(is_thematic_break("--"));
  EXPECT_FALSE(is_thematic_break("***a"));
}

TEST(LineStarts, CodeBeginsWithThreeOfAKind) {
  EXPECT_EQ(code_fence("````c"), 4u);
  EXPECT_EQ(code_fence("~~~ `"), 3u);
  EXPECT_EQ(code_fence("``` `"), 0u);
  EXPECT_EQ(code_fence("``"), 0u);
}

TEST(LineStarts, TablesHaveARowOfDashes) {
  EXPECT_EQ(table_columns("| --- | :-: |"), 2u);
  EXPECT_EQ(table_columns("-|-"), 2u);
  EXPECT_EQ(table_columns(":-"), 1u);
  EXPECT_EQ(table_columns("---"), 0u);
  EXPECT_EQ(table_columns("|a|"), 0u);
}

TEST(LineStarts, ListsHaveMarkersWithASpaceBehindThem) {
  EXPECT_EQ(list_marker("- a").size, 1u);
  EXPECT_EQ(list_marker("-a").size, 0u);
  EXPECT_EQ(list_marker("12) a").size, 3u);
  EXPECT_FALSE(list_marker("12) a").begins_at_one);
  EXPECT_TRUE(list_marker("1. a").begins_at_one);
  EXPECT_EQ(list_marker("1234567890. a").size, 0u);
}

TEST(LineStarts, BlocksOfHtmlAreOfSevenKinds) {
  EXPECT_EQ(html_block("<script>"), 1);
  EXPECT_EQ(html_block("<!-- a"), 2);
  EXPECT_EQ(html_block("<?a"), 3);
  EXPECT_EQ(html_block("<!A"), 4);
  EXPECT_EQ(html_block("<![CDATA["), 5);
  EXPECT_EQ(html_block("</div>a"), 6);
  EXPECT_EQ(html_block("<b>"), 7);
  EXPECT_EQ(html_block("<b>a"), 0);
  EXPECT_TRUE(ends_html_block("a </SCRIPT> b", 1));
  EXPECT_TRUE(ends_html_block("-->", 2));
  EXPECT_FALSE(ends_html_block("-->", 6));
}

TEST(LineStarts, FootnotesHaveALabel) {
  EXPECT_EQ(footnote_marker("[^1]: a"), 5u);
  EXPECT_EQ(footnote_marker("[^]: a"), 0u);
  EXPECT_EQ(footnote_marker("[^a b]: c"), 0u);
  EXPECT_EQ(footnote_marker("[1]: a"), 0u);
}

}  // namespace
}  // namespace attend::markdown
