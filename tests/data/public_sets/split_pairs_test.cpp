#include "attend/data/public_sets/split_pairs.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/error.h"
#include "core/files.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(OneLine, HasNoTabsAndBreaks) {
  EXPECT_EQ(one_line(" a\tb\r\nc \n"), "a b c");
  EXPECT_EQ(one_line("a  b"), "a  b");
  EXPECT_EQ(one_line(" \n"), "");
  EXPECT_EQ(one_line(""), "");
}

TEST(DrawnPairs, DrawsSourcesWithAllTranslations) {
  DrawnPairs drawn(20, 1);
  for (int i = 0; i < 1000; ++i) drawn.add("s" + std::to_string(i / 2), "t" + std::to_string(i));
  const auto taken = drawn.take(1000);
  EXPECT_EQ(taken.size(), 20u);
  std::map<std::string, int> sources;
  for (const SentencePair& pair : taken) ++sources[pair.first];
  for (const auto& [source, count] : sources) EXPECT_EQ(count, 2) << source;
  EXPECT_EQ(drawn.take(5).size(), 5u);
}

// Another order of the pairs draws the same.
TEST(DrawnPairs, DependsOnTheTextAlone) {
  DrawnPairs forward(10, 3), backward(10, 3);
  for (int i = 0; i < 200; ++i) {
    forward.add("s" + std::to_string(i), "t");
    backward.add("s" + std::to_string(199 - i), "t");
  }
  EXPECT_EQ(forward.take(10), backward.take(10));
}

// One source must not fill the memory.
TEST(DrawnPairs, KeepsFewOfOneSource) {
  DrawnPairs drawn(3, 1);
  for (int i = 0; i < 1000; ++i) drawn.add("same", std::to_string(i));
  EXPECT_EQ(drawn.take(1000).size(), 3u);
}

class Parallel : public WithFiles {};

TEST_F(Parallel, ReadsLinesThatAreNoTextAsEmpty) {
  ParallelLines lines(write("a", "x\n\xff\ny"), write("b", "1\n2\n3\n"));
  std::vector<SentencePair> pairs;
  for (SentencePair pair; lines.next(pair);) pairs.push_back(pair);
  EXPECT_EQ(pairs, (std::vector<SentencePair>{{"x", "1"}, {"", "2"}, {"y", "3"}}));
}

TEST_F(Parallel, RefusesAnotherNumberOfLines) {
  ParallelLines lines(write("a", "x\n"), write("b", "1\n2\n3\n"));
  SentencePair pair;
  lines.next(pair);
  expect_error<DataError>([&] { lines.next(pair); }, {"in a as in b", "found 1 and 3"});
}

}  // namespace
}  // namespace attend
