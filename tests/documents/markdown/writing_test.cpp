#include "attend/documents/markdown/writing.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

TEST(MarkdownWriting, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(escaped("a * b *c* d_e _f"), "a * b \\*c\\* d_e \\_f");
  EXPECT_EQ(escaped("[a] `b` <c> a < b &amp; & c\\d \\*"),
            "\\[a\\] \\`b\\` \\<c> a < b \\&amp; & c\\d \\\\\\*");
  EXPECT_EQ(escaped("a|b"), "a|b");
  EXPECT_EQ(escaped_in_table("a|b"), "a\\|b");
  EXPECT_EQ(fully_escaped("a.b"), "a\\.b");
}

TEST(MarkdownWriting, TextStandsOnOneLine) { EXPECT_EQ(plain("a\nb\1c"), "a bc"); }

TEST(MarkdownWriting, EscapesBeginningsOfBlocks) {
  EXPECT_EQ(escaped_at_start("1. a"), "1\\. a");
  for (const char* line : {"# a", "- a", "> a", "===", "+ a", "***", "| - |"})
    EXPECT_EQ(escaped_at_start(line), "\\" + std::string(line));
  for (const char* line : {"#a", "-a", "1.a", "a"}) EXPECT_EQ(escaped_at_start(line), line);
}

}  // namespace
}  // namespace attend::markdown
