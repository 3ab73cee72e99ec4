#include "attend/data/batching/mixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "attend/error.h"
#include "core/files.h"

namespace attend {
namespace {

using PairCounts = std::vector<std::int64_t>;

PairCounts counts_of(PairCounts sizes, const MixtureOptions& options) {
  const Mixture mixture(std::move(sizes), options, 1);
  return {mixture.counts().begin(), mixture.counts().end()};
}

// How often each sample is in some epochs.
std::map<std::int32_t, int> uses_of(const Mixture& mixture, std::int64_t first,
                                    std::int64_t count) {
  std::map<std::int32_t, int> uses;
  for (std::int64_t epoch = first; epoch < first + count; ++epoch)
    for (const std::int32_t sample : mixture.samples(epoch)) ++uses[sample];
  return uses;
}

TEST(Mixture, HasEverySampleOnceInOrderByDefault) {
  const Mixture mixture({30, 10}, {}, 1);
  std::vector<std::int32_t> all(40);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(mixture.samples(0), all);
  EXPECT_EQ(mixture.samples(3), all);
}

TEST(Mixture, TakesCorporaInProportionToTheirWeights) {
  EXPECT_EQ(counts_of({300, 100}, {.weights = {"1", "1"}}), (PairCounts{200, 200}));
  EXPECT_EQ(counts_of({300, 100}, {.weights = {"1", "3"}}), (PairCounts{100, 300}));
  EXPECT_EQ(counts_of({7, 3}, {.weights = {"1", "2"}}), (PairCounts{3, 7})) << "3.33 and 6.67";
  EXPECT_EQ(counts_of({1, 1, 1}, {.weights = {"0.5", "0.5", "1e9"}}), (PairCounts{0, 0, 3}));
}

TEST(Mixture, BringsSharesTogetherWithTemperature) {
  EXPECT_EQ(counts_of({900, 100}, {.weights = {}, .temperature = 2}), (PairCounts{750, 250}))
      << "3 to 1";
  EXPECT_EQ(counts_of({900, 100}, {.weights = {"16", "1"}, .temperature = 4}),
            (PairCounts{667, 333}));
  EXPECT_EQ(counts_of({1 << 30, 2}, {.weights = {}, .temperature = 0.01}),
            (PairCounts{(1 << 30) + 2, 0}));
}

TEST(Mixture, SeesEverySampleOfACorpusEquallyOftenInTheLongRun) {
  const Mixture mixture({30, 10}, {.weights = {"1", "1"}}, 1);  // 20 and 20
  for (const auto& [sample, uses] : uses_of(mixture, 0, 3)) EXPECT_EQ(uses, sample < 30 ? 2 : 6);
  for (const auto& [sample, uses] : uses_of(mixture, 3, 3)) EXPECT_EQ(uses, sample < 30 ? 2 : 6);
  EXPECT_EQ(uses_of(mixture, 0, 1).size(), 30u) << "20 different ones of 30, and all of 10";
}

TEST(Mixture, IsAFunctionOfSeedAndEpoch) {
  const PairCounts sizes{300, 100};
  const MixtureOptions half{.weights = {"1", "1"}};
  const Mixture mixture(sizes, half, 1);
  mixture.samples(0);
  EXPECT_EQ(mixture.samples(5), Mixture(sizes, half, 1).samples(5));
  EXPECT_NE(mixture.samples(5), mixture.samples(6));
  EXPECT_NE(mixture.samples(5), Mixture(sizes, half, 2).samples(5));
}

TEST(Mixture, SaysWhatIsInAnEpoch) {
  const Mixture mixture({300, 100}, {.weights = {"1", "1"}}, 1);
  const std::vector<std::string> names{"a.en", "b.en"};
  const std::vector<std::string> lines = mixture.summary(names, "pair");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "a.en: 50.0 % of an epoch, 200 pairs, each 0.667 times");
  EXPECT_EQ(lines[1], "b.en: 50.0 % of an epoch, 200 pairs, each 2 times");
}

TEST(Mixture, ChecksItsOptions) {
  const auto refused = [](PairCounts sizes, const MixtureOptions& options) {
    return message_of<ConfigError>([&] { Mixture(sizes, options, 1); });
  };
  EXPECT_TRUE(contains(refused({1, 1}, {.weights = {"1"}}), "mix_weights: expected 2 weights"));
  EXPECT_TRUE(contains(refused({1, 1}, {.weights = {"1", "0"}}), "mix_weights: expected a number"));
  EXPECT_TRUE(contains(refused({1, 1}, {.weights = {"1", "much"}}), "much"));
  EXPECT_TRUE(contains(refused({1, 1}, {.weights = {}, .temperature = 0}), "mix_temperature"));
  EXPECT_TRUE(contains(refused({1}, {.weights = {}, .temperature = 2}), "several corpora"));
  EXPECT_THROW(Mixture({5, 0}, {.weights = {}, .temperature = 2}, 1), DataError);
}

}  // namespace
}  // namespace attend
