#include "attend/documents/markdown/emphasis.h"

#include <gtest/gtest.h>

namespace attend::markdown {
namespace {

TEST(Emphasis, OpensBeforeWordsAndClosesBehindThem) {
  const EmphasisRun open = emphasis_run("a *b", 2, 3), close = emphasis_run("a* b", 1, 2),
                    within = emphasis_run("a_b", 1, 2), alone = emphasis_run("a * b", 2, 3);
  EXPECT_TRUE(open.may_open && !open.may_close);
  EXPECT_TRUE(close.may_close && !close.may_open);
  EXPECT_FALSE(within.may_open || within.may_close);
  EXPECT_FALSE(alone.may_open || alone.may_close);
}

TEST(Emphasis, JoinsRunsFromTheInside) {
  const std::string text = "***a** b*";
  EmphasisFinder finder;
  finder.add(emphasis_run(text, 0, 3));
  finder.add(emphasis_run(text, 4, 6));
  finder.add(emphasis_run(text, 8, 9));
  finder.find_from(0);
  ASSERT_EQ(finder.run(0).opens.size(), 2u);
  EXPECT_EQ(finder.run(0).opens[0].size, 2u);
  EXPECT_EQ(finder.run(0).opens[1].mark, finder.run(2).closes[0].mark);
  EXPECT_EQ(finder.run(0).left, 0u);
}

}  // namespace
}  // namespace attend::markdown
