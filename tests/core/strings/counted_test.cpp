#include "attend/core/strings/counted.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(Counted, HasTheSingularOnlyForOne) {
  EXPECT_EQ(counted(0, "thread"), "0 threads");
  EXPECT_EQ(counted(1, "thread"), "1 thread");
  EXPECT_EQ(counted(2, "thread"), "2 threads");
  EXPECT_EQ(counted(12288, "line"), "12,288 lines");
}

TEST(Counted, TakesAnotherPlural) {
  EXPECT_EQ(counted(1, "class", "classes"), "1 class");
  EXPECT_EQ(counted(3, "class", "classes"), "3 classes");
}

TEST(WithArticle, IsAnBeforeAVowel) {
  EXPECT_EQ(with_article("bert"), "a bert");
  EXPECT_EQ(with_article("eole"), "an eole");
  EXPECT_EQ(with_article("OPT"), "an OPT");
  EXPECT_EQ(with_article("unigram"), "a unigram");
}

}  // namespace
}  // namespace attend
