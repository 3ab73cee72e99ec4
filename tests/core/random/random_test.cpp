#include "attend/core/random/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace attend {
namespace {

using Block = std::array<std::uint32_t, 4>;

// The known answers that the authors of Philox publish for philox4x32-10.
TEST(Philox, GivesTheKnownAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomKey, PutsBlockRowAndStreamInTheCounterAndSeedInTheKey) {
  const RandomKey key{.seed = 0x299f31d0a4093822u, .stream = 0x0370734413198a2eu};
  EXPECT_EQ(key.at(0x243f6a88, 0x85a308d3),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomKey, CutsABlockIntoEightHalfWordsLowHalfFirst) {
  const RandomKey key{.seed = 7, .stream = 9};
  const Block block = key.at(3, 5);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t word = block[i / 2];
    EXPECT_EQ(key.bits16(5, 3 * 8 + i), i % 2 == 0 ? word & 0xffffu : word >> 16)
        << "half-word " << i;
  }
}

TEST(RandomKey, IsUsableAtCompileTime) {
  static_assert(philox({0, 0, 0, 0}, {0, 0})[0] == 0x6627e8d5);
  static_assert(RandomKey{1, 2}.bits16(0, 0) == (RandomKey{1, 2}.at(0, 0)[0] & 0xffffu));
}

TEST(RandomKey, DifferentSeedsAndStreamsGiveDifferentNumbers) {
  std::set<Block> blocks;
  for (std::uint64_t seed : {0u, 1u, 2u}) {
    for (const char* name : {"", "a", "b", "encoder.layers.0", "encoder.layers.1"})
      blocks.insert(RandomKey{seed, stream_of(name)}.at(0, 0));
  }
  EXPECT_EQ(blocks.size(), 15u);
}

TEST(StreamOf, IsFnv1a) {
  EXPECT_EQ(stream_of(""), 0xcbf29ce484222325u);
  EXPECT_EQ(stream_of("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(stream_of("foobar"), 0x85944171f73967e8u);
}

TEST(Random, DrawsTheBlocksOfItsKeyInOrder) {
  const RandomKey key{.seed = 11, .stream = 22};
  Random random(key);
  for (std::uint32_t block = 0; block < 3; ++block) {
    for (const std::uint32_t word : key.at(block, 0)) EXPECT_EQ(random.next(), word);
  }
}

TEST(Random, CopiesContinueWithTheSameNumbers) {
  Random random({1, 2});
  random.next();
  Random copy = random;
  for (int i = 0; i < 9; ++i) EXPECT_EQ(random.next(), copy.next());
}

TEST(Random, SkipsAsManyNumbersAsAsked) {
  for (std::uint64_t before = 0; before < 6; ++before) {
    for (std::uint64_t count = 0; count < 14; ++count) {
      Random one({1, 2}), other({1, 2});
      for (std::uint64_t i = 0; i < before; ++i) one.next(), other.next();
      for (std::uint64_t i = 0; i < count; ++i) one.next();
      other.skip(count);
      for (int i = 0; i < 5; ++i)
        ASSERT_EQ(one.next(), other.next()) << before << " then " << count;
    }
  }
}

TEST(Random, UniformStaysBelowOneAndHasTheRightMoments) {
  Random random({3, 4});
  constexpr int kDraws = 100000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const float u = random.uniform();
    ASSERT_GE(u, 0.0f);
    ASSERT_LT(u, 1.0f);
    sum += u;
    squares += double{u} * u;
  }
  // Five standard errors of the mean: 5 * sqrt(1/12 / draws) = 0.0046.
  EXPECT_NEAR(sum / kDraws, 0.5, 0.0046);
  EXPECT_NEAR(squares / kDraws, 1.0 / 3.0, 0.0048);
}

TEST(Random, NormalHasMeanZeroAndVarianceOne) {
  Random random({5, 6});
  constexpr int kDraws = 100000;
  double sum = 0.0;
  double squares = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const float x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += double{x} * x;
  }
  EXPECT_NEAR(sum / kDraws, 0.0, 0.016);      // 5 / sqrt(draws)
  EXPECT_NEAR(squares / kDraws, 1.0, 0.023);  // 5 * sqrt(2 / draws)
}

TEST(Random, BelowReachesEveryValueEquallyOften) {
  Random random({7, 8});
  std::array<int, 7> counts{};
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t value = random.below(7);
    ASSERT_LT(value, 7u);
    ++counts[value];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 463);  // 5 standard deviations
  EXPECT_EQ(random.below(1), 0u);
}

TEST(Random, BelowCoversSixtyFourBits) {
  Random random({9, 10});
  std::uint64_t seen = 0;
  for (int i = 0; i < 64; ++i) seen |= random.below(std::uint64_t{1} << 63);
  EXPECT_EQ(seen, (std::uint64_t{1} << 63) - 1);
}

TEST(Shuffle, IsAPermutationThatTheKeyDecides) {
  std::vector<int> first(100);
  std::iota(first.begin(), first.end(), 0);
  std::vector<int> again = first;
  std::vector<int> other = first;
  const std::vector<int> sorted = first;
  Random a({1, 1});
  Random b({1, 1});
  Random c({1, 2});
  shuffle(first, a);
  shuffle(again, b);
  shuffle(other, c);
  EXPECT_EQ(first, again);
  EXPECT_NE(first, other);
  EXPECT_NE(first, sorted);
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, sorted);
}

TEST(Shuffle, GivesEveryOrderOfThreeEquallyOften) {
  Random random({4, 2});
  std::array<int, 6> counts{};
  for (int i = 0; i < 60000; ++i) {
    std::array<int, 3> order{0, 1, 2};
    shuffle(order, random);
    ++counts[static_cast<std::size_t>(order[0] * 2 + (order[1] > order[2] ? 1 : 0))];
  }
  for (const int count : counts) EXPECT_NEAR(count, 10000, 457);  // 5 standard deviations
}

}  // namespace
}  // namespace attend
