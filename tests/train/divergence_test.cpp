#include "attend/train/divergence.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

// Looks at one value after another; how many looks it takes until the run has diverged, 0: it never
// has.
int looks_until_diverged(const std::vector<double>& nlls) {
  DivergenceWatch watch;
  int looks = 0;
  for (const double nll : nlls) {
    ++looks;
    if (watch.look(nll)) return looks;
  }
  return 0;
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr int kLooks = static_cast<int>(DivergenceWatch::kLooks);

TEST(DivergenceWatch, LetsARunLearn) {
  EXPECT_EQ(looks_until_diverged({9.2, 8.5, 7, 5, 3, 2, 1.5, 0.01, 0, 0.02}), 0);
}

TEST(DivergenceWatch, LetsARunBeWorseThanAtItsBeginning) {
  EXPECT_EQ(looks_until_diverged(joined({0.001}, std::vector<double>(1000, 9.0))), 0)
      << "a model that guesses among a few thousand tokens";
  EXPECT_EQ(looks_until_diverged(joined({9.2}, std::vector<double>(1000, 18.0))), 0);
}

TEST(DivergenceWatch, LetsASpikePass) {
  const std::vector<double> spike(static_cast<std::size_t>(kLooks) - 1, 99.0);
  EXPECT_EQ(looks_until_diverged(joined(joined({9.2}, spike), {19.0})), 0);
  EXPECT_EQ(looks_until_diverged(joined(joined(joined({9.2}, spike), {19.0}), spike)), 0)
      << "the count starts over";
}

TEST(DivergenceWatch, LetsABadlyInitializedModelBegin) {
  EXPECT_EQ(looks_until_diverged(joined({320}, std::vector<double>(1000, 600.0))), 0);
}

TEST(DivergenceWatch, StopsAtOnceFarAboveGuessing) {
  EXPECT_EQ(looks_until_diverged({9.2, 99, 100.1}), 3);
  EXPECT_EQ(looks_until_diverged({9.2, 3e12}), 2);
  EXPECT_EQ(looks_until_diverged({12, 119, 121}), 3) << "ten times the first step";
}

TEST(DivergenceWatch, StopsWhereALossStaysAboveGuessing) {
  EXPECT_EQ(looks_until_diverged(joined({9.2}, std::vector<double>(1000, 21.0))), 1 + kLooks);
  EXPECT_EQ(looks_until_diverged(joined({15}, std::vector<double>(1000, 31.0))), 1 + kLooks)
      << "twice the first step";
}

TEST(DivergenceWatch, StopsAtWhatIsNoNumber) {
  EXPECT_EQ(looks_until_diverged({NAN}), 1);
  EXPECT_EQ(looks_until_diverged({9, INFINITY}), 2);
  DivergenceWatch watch;
  EXPECT_TRUE(watch.is_hopeless(NAN));
  EXPECT_TRUE(watch.is_hopeless(INFINITY));
  EXPECT_FALSE(watch.is_hopeless(3e12)) << "there is nothing to compare with yet";
}

TEST(DivergenceWatch, GoesOnFromACheckpoint) {
  DivergenceWatch whole;
  whole.look(9);
  for (int i = 0; i < kLooks - 1; ++i) EXPECT_FALSE(whole.look(25));
  DivergenceWatch resumed;
  resumed.restore(whole.state());
  EXPECT_TRUE(resumed.look(25));
  EXPECT_EQ(resumed.first(), 9);
}

TEST(DivergenceWatch, LooksAtTheFirstStepAndEveryTenth) {
  std::vector<std::int64_t> due;
  for (std::int64_t step = 1; step <= 30; ++step)
    if (DivergenceWatch::is_due(step)) due.push_back(step);
  EXPECT_EQ(due, (std::vector<std::int64_t>{1, 10, 20, 30}));
}

}  // namespace
}  // namespace attend
