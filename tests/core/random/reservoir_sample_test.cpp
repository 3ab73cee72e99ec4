#include "attend/core/random/reservoir_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace attend {
namespace {

std::vector<int> sample_of(int stream, std::int64_t capacity, RandomKey key) {
  ReservoirSample<int> sample(capacity, key);
  for (int i = 0; i < stream; ++i) sample.add(i);
  EXPECT_EQ(sample.seen(), stream);
  return sample.take();
}

TEST(ReservoirSample, IsTheWholeStreamInItsOrderWhenThereIsRoom) {
  std::vector<int> all(50);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(sample_of(50, 50, {1, 2}), all);
  EXPECT_EQ(sample_of(50, 1000, {1, 2}), all);
}

TEST(ReservoirSample, HasDifferentItemsOfALongerStreamAndIsAFunctionOfTheKey) {
  const std::vector<int> sample = sample_of(1000, 50, {1, 2});
  EXPECT_EQ(std::set<int>(sample.begin(), sample.end()).size(), 50u);
  EXPECT_EQ(sample_of(1000, 50, {1, 2}), sample);
  EXPECT_NE(sample_of(1000, 50, {2, 2}), sample);
}

// 4000 samples of 5 of 20: each item is in a quarter of them, give or take four standard
// deviations of sqrt(4000 * 1/4 * 3/4) = 27.
TEST(ReservoirSample, GivesEveryItemTheSameChance) {
  std::vector<int> counts(20);
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    for (const int item : sample_of(20, 5, {seed, 7})) ++counts[static_cast<std::size_t>(item)];
  for (const int count : counts) EXPECT_NEAR(count, 1000, 110);
}

TEST(ReservoirSample, MayHaveNoRoomAtAll) { EXPECT_TRUE(sample_of(10, 0, {1, 2}).empty()); }

}  // namespace
}  // namespace attend
