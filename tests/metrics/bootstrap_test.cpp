#include "attend/metrics/bootstrap.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/metrics/bleu.h"
#include "attend/metrics/chrf.h"
#include "core/scoped_threads.h"
#include "metrics/goldens.h"

namespace attend {
namespace {

struct Metric {
  std::vector<SegmentCounts> systems;
  ScoreFunction score;
};

Metric metric_named(const std::string& name) {
  Metric metric;
  const References references{goldens::kMadeUpReference};
  for (const auto& system : goldens::kMadeUpSystems) {
    metric.systems.push_back(name == "BLEU" ? bleu_counts(system, references)
                                            : chrf_counts(system, references));
  }
  if (name == "BLEU")
    metric.score = [](std::span<const std::int64_t> sum) { return bleu_from_counts(sum).score; };
  if (name == "chrF")
    metric.score = [](std::span<const std::int64_t> sum) { return chrf_from_counts(sum); };
  return metric;
}

// Other random numbers, same distributions: means of 1000 resamples agree within a fraction of the
// interval, verdicts at 5 % are the same.
TEST(PairedBootstrap, AgreesWithSacrebleu) {
  ASSERT_FALSE(goldens::kBootstrap.empty());
  for (const auto& golden : goldens::kBootstrap) {
    SCOPED_TRACE(golden.metric + " of systems " + std::to_string(golden.baseline) + " and " +
                 std::to_string(golden.system));
    const Metric metric = metric_named(golden.metric);
    const auto result =
        paired_bootstrap(metric.systems[static_cast<std::size_t>(golden.baseline)],
                         metric.systems[static_cast<std::size_t>(golden.system)], metric.score);
    EXPECT_NEAR(result.baseline.score, golden.baseline_score,
                1e-4);  // sacreBLEU adds in single precision
    EXPECT_NEAR(result.system.score, golden.system_score, 1e-4);
    EXPECT_NEAR(result.baseline.mean, golden.baseline_mean, 0.08 * golden.baseline_half_width);
    EXPECT_NEAR(result.system.mean, golden.system_mean, 0.08 * golden.system_half_width);
    EXPECT_NEAR(result.baseline.half_width(), golden.baseline_half_width,
                0.15 * golden.baseline_half_width);
    EXPECT_NEAR(result.system.half_width(), golden.system_half_width,
                0.15 * golden.system_half_width);
    EXPECT_EQ(result.p_value < 0.05, golden.p_value < 0.05);
    EXPECT_NEAR(result.p_value, golden.p_value, 0.06);
  }
}

// With 10,000 trials p has a standard error of .005 at most.
TEST(Randomization, AgreesWithSacrebleu) {
  ASSERT_FALSE(goldens::kRandomization.empty());
  for (const auto& golden : goldens::kRandomization) {
    SCOPED_TRACE(golden.metric + " of systems " + std::to_string(golden.baseline) + " and " +
                 std::to_string(golden.system));
    const Metric metric = metric_named(golden.metric);
    const double p = randomization_p_value(
        metric.systems[static_cast<std::size_t>(golden.baseline)],
        metric.systems[static_cast<std::size_t>(golden.system)], metric.score, 10'000, 12345);
    EXPECT_NEAR(p, golden.p_value, 0.025);
    EXPECT_EQ(p < 0.05, golden.p_value < 0.05);
  }
}

// The differences of four lines add up to 11; of their 16 mixtures, those with -15, -13, 13 and 15
// are larger.
TEST(Randomization, CountsTheExchangesWithALargerDifference) {
  const SegmentCounts baseline{1, {0, 0, 0, 0}}, system{1, {1, -2, 4, 8}};
  const ScoreFunction sum = [](std::span<const std::int64_t> counts) {
    return static_cast<double>(counts[0]);
  };
  EXPECT_NEAR(randomization_p_value(baseline, system, sum, 20'000, 1), 4.0 / 16, 0.015);
  EXPECT_EQ(randomization_p_value(baseline, baseline, sum, 100, 1), 1);
  const SegmentCounts all{1, {1, 2, 4, 8}};
  EXPECT_EQ(randomization_p_value(baseline, all, sum, 99, 1), 0.01) << "none is larger";
  EXPECT_THROW(randomization_p_value(baseline, SegmentCounts{1, {1}}, sum, 9, 1), ConfigError);
}

TEST(Randomization, IsAFunctionOfTheSeedAlone) {
  const Metric metric = metric_named("BLEU");
  const auto run = [&](int count, std::uint64_t seed) {
    const ScopedThreads scope(count);
    return randomization_p_value(metric.systems[0], metric.systems[1], metric.score, 300, seed);
  };
  EXPECT_EQ(run(1, 3), run(3, 3));
  EXPECT_NE(run(3, 3), run(3, 4));
}

TEST(PairedBootstrap, IsAFunctionOfTheSeedAlone) {
  const Metric metric = metric_named("BLEU");
  const auto run = [&](int count, std::uint64_t seed) {
    const ScopedThreads scope(count);
    return paired_bootstrap(metric.systems[0], metric.systems[1], metric.score, {200, seed});
  };
  const auto alone = run(1, 3), together = run(3, 3), other = run(3, 4);
  EXPECT_EQ(alone.p_value, together.p_value);
  EXPECT_EQ(alone.system.mean, together.system.mean);
  EXPECT_EQ(alone.baseline.low, together.baseline.low);
  EXPECT_NE(alone.system.mean, other.system.mean);
}

TEST(PairedBootstrap, SeesNoDifferenceBetweenASystemAndItself) {
  const Metric metric = metric_named("BLEU");
  const auto result = paired_bootstrap(metric.systems[0], metric.systems[0], metric.score);
  EXPECT_EQ(result.wins, 0);
  EXPECT_EQ(result.p_value, 1);
  EXPECT_EQ(result.baseline.mean, result.system.mean);
}

TEST(PairedBootstrap, ConvincedByASystemThatIsBetterEverywhere) {
  const Metric metric = metric_named("chrF");
  const auto result = paired_bootstrap(metric.systems[2], metric.systems[0], metric.score);
  EXPECT_EQ(result.wins, 1);
  EXPECT_NEAR(result.p_value, 1.0 / 1001, 1e-9);
}

TEST(Bootstrap, HoldsTheScoreInItsInterval) {
  const Metric metric = metric_named("BLEU");
  const auto result = bootstrap(metric.systems[0], metric.score);
  EXPECT_LT(result.low, result.score);
  EXPECT_GT(result.high, result.score);
}

TEST(Bootstrap, OfOneSegmentHasNoSpread) {
  const std::vector<std::string> one{"a b c d e"};
  const auto counts = bleu_counts(one, {{"a b c d f"}});
  const auto result = bootstrap(
      counts, [](std::span<const std::int64_t> sum) { return bleu_from_counts(sum).score; });
  EXPECT_EQ(result.low, result.high);
  EXPECT_NEAR(result.mean, result.score, 1e-9);
}

TEST(Bootstrap, RefusesWhatItCannotResample) {
  const Metric metric = metric_named("BLEU");
  EXPECT_THROW(bootstrap(SegmentCounts{}, metric.score), ConfigError);
  EXPECT_THROW(bootstrap(metric.systems[0], metric.score, {.samples = 0}), ConfigError);
  const std::vector<std::string> one{"a"};
  EXPECT_THROW(paired_bootstrap(metric.systems[0], bleu_counts(one, {one}), metric.score),
               ConfigError);
}

}  // namespace
}  // namespace attend
