#include "attend/data/alignment/lexicon.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/ids.h"

namespace attend {
namespace {

double probability_of(const std::vector<LexiconEntry>& entries, std::int32_t target) {
  for (const LexiconEntry& entry : entries) {
    if (entry.target == target) return entry.probability;
  }
  return 0;
}

Ragged sequences(const std::vector<TokenIds>& all) {
  RaggedBuilder ragged;
  for (const TokenIds& one : all) ragged.add(one);
  return ragged.build();
}

// The example of Koehn's "Statistical Machine Translation" (2010), figure 4.4: das Haus, das Buch,
// ein Buch. das 0, Haus 1, Buch 2, ein 3; the 0, house 1, book 2, a 3.
TEST(Lexicon, ConvergesAsInTheTextbook) {
  const Ragged german = sequences({{0, 1}, {0, 2}, {3, 2}}),
               english = sequences({{0, 1}, {0, 2}, {3, 2}});
  const auto first = learn_lexicon(german, english, 4, {.iterations = 1}),
             second = learn_lexicon(german, english, 4, {.iterations = 2}),
             third = learn_lexicon(german, english, 4, {.iterations = 3});
  EXPECT_NEAR(probability_of(first[0], 0), 0.5, 1e-6);
  EXPECT_NEAR(probability_of(first[0], 1), 0.25, 1e-6);
  EXPECT_NEAR(probability_of(first[2], 2), 0.5, 1e-6);
  EXPECT_NEAR(probability_of(second[0], 0), 0.6364, 5e-5);
  EXPECT_NEAR(probability_of(second[0], 1), 0.1818, 5e-5);
  EXPECT_NEAR(probability_of(third[0], 0), 0.7479, 5e-5);
  EXPECT_NEAR(probability_of(third[3], 3), 0.6534, 5e-5);
}

TEST(Lexicon, PutsTheLikeliestFirstAndSumsToOne) {
  const auto lexicon =
      learn_lexicon(sequences({{0, 1}, {0, 2}, {3, 2}}), sequences({{0, 1}, {0, 2}, {3, 2}}), 5);
  ASSERT_EQ(lexicon.size(), 5u);
  EXPECT_EQ(lexicon[0][0].target, 0);
  EXPECT_EQ(lexicon[1][0].target, 1);
  EXPECT_EQ(lexicon[2][0].target, 2);
  EXPECT_EQ(lexicon[3][0].target, 3);
  EXPECT_TRUE(lexicon[4].empty()) << "never seen";
  for (std::size_t source = 0; source < 4; ++source) {
    double sum = 0;
    for (const LexiconEntry& entry : lexicon[source]) sum += entry.probability;
    EXPECT_NEAR(sum, 1.0, 1e-5);
    for (std::size_t i = 1; i < lexicon[source].size(); ++i)
      EXPECT_GE(lexicon[source][i - 1].probability, lexicon[source][i].probability);
  }
}

TEST(Lexicon, OfNothingIsEmpty) {
  const auto lexicon = learn_lexicon({}, {}, 3);
  ASSERT_EQ(lexicon.size(), 3u);
  EXPECT_TRUE(lexicon[0].empty());
  const auto blank = learn_lexicon(sequences({{0, 1}}), sequences({{}}), 2);
  EXPECT_TRUE(blank[0].empty());
}

}  // namespace
}  // namespace attend
