#include "attend/data/terms/inline_pairs.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Ids = std::vector<std::int32_t>;

// Many pairs of two source tokens with two terms each, and one without.
InlinePairs inline_pairs(const InlinePairs::Options& options, std::int32_t context = 0) {
  EncodedPairs pairs;
  RaggedBuilder src, tgt;
  std::vector<std::vector<InlineTerm>> terms;
  for (int i = 0; i < 200; ++i) {
    Ids source(static_cast<std::size_t>(context), 9);
    source.insert(source.end(), {10, 11});
    src.add(source);
    tgt.add(Ids{20});
    pairs.origin.push_back(i);
    terms.push_back({{1, {5}}, {2, {6}}});
  }
  terms.back().clear();
  pairs.src = src.build();
  pairs.tgt = tgt.build();
  return {std::move(pairs), std::move(terms), std::vector<std::int64_t>(200, 2), options};
}

// How many sources of an epoch are as these.
int count(const InlinePairs& pairs, std::int64_t epoch, const Ids& ids) {
  const auto read = pairs.pairs(epoch);
  int found = 0;
  for (std::int64_t i = 0; i < read->src.sequences(); ++i) {
    const auto source = read->src[i];
    found += Ids(source.begin(), source.end()) == ids ? 1 : 0;
  }
  return found;
}

TEST(InlinePairs, HaveSomeOfTheirTermsInAShare) {
  const InlinePairs all = inline_pairs({.share = 1, .seed = 3}),
                    half = inline_pairs({.share = 0.5}), none = inline_pairs({.share = 0});
  EXPECT_NEAR(count(all, 0, {10, 5, 11, 6}), 50, 20);
  EXPECT_NEAR(count(all, 0, {10, 5, 11}), 50, 20);
  EXPECT_NEAR(count(all, 0, {10, 11, 6}), 50, 20);
  EXPECT_NEAR(count(half, 0, {10, 5, 11, 6}), 25, 15);
  EXPECT_EQ(count(none, 0, {10, 11}), 200);
  const Ragged sources = all.pairs(0)->src;
  EXPECT_EQ(Ids(sources[199].begin(), sources[199].end()), (Ids{10, 11}));
  EXPECT_EQ(all.size(), 200);
  EXPECT_EQ(all.pairs(0)->tgt.sequences(), 200);
}

TEST(InlinePairs, DifferFromEpochToEpochAndBySeed) {
  const auto sources = [](std::uint64_t seed, std::int64_t epoch) {
    const Ragged read = inline_pairs({.seed = seed}).pairs(epoch)->src;
    return Ids(read.ids->begin(), read.ids->end());
  };
  EXPECT_EQ(sources(1, 4), sources(1, 4));
  EXPECT_NE(sources(1, 4), sources(1, 5));
  EXPECT_NE(sources(1, 4), sources(2, 4));
}

TEST(InlinePairs, KeepTheContextBeforeTheSentence) {
  EXPECT_GT(count(inline_pairs({.share = 1}, 3), 0, {9, 9, 9, 10, 5, 11}), 0);
}

TEST(InlinePairs, LeaveOutTermsThatThereIsNoRoomFor) {
  const InlinePairs pairs = inline_pairs({.share = 1, .longest = 4});
  EXPECT_EQ(count(pairs, 0, {10, 5, 11, 6}), 0);
  EXPECT_GT(count(pairs, 0, {10, 5, 11}), 0);
}

}  // namespace
}  // namespace attend
