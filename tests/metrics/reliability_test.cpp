#include <gtest/gtest.h>

#include <limits>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

// What these lines of NumPy say:
//   p = (np.arange(1, 41) * 37 % 41) / 41; right = np.arange(1, 41) * 11 % 7 < 4
//   index = np.ceil(p * bins).astype(int).clip(1, bins) - 1
//   ece = sum(abs(right[index == i].mean() - p[index == i].mean()) * (index == i).mean()
//             for i in range(bins) if (index == i).any())
TEST(Reliability, HasTheErrorsOfNumpy) {
  const auto filled = [](int bins) {
    Reliability reliability(bins);
    for (int i = 1; i <= 40; ++i) reliability.add((i * 37 % 41) / 41.0, i * 11 % 7 < 4);
    return reliability;
  };
  EXPECT_NEAR(filled(10).expected_error(), 0.2646341463414634, 1e-12);
  EXPECT_NEAR(filled(10).largest_error(), 0.43902439024390244, 1e-12);
  EXPECT_NEAR(filled(15).expected_error(), 0.2890243902439024, 1e-12);
  EXPECT_NEAR(filled(1).expected_error(), 0.050000000000000044, 1e-12);
  EXPECT_EQ(filled(10).total(), 40);
}

TEST(Reliability, PutsAProbabilityIntoTheBinThatEndsWithIt) {
  Reliability reliability(4);
  for (const double probability : {0.0, 0.25, 0.26, 0.5, 1.0}) reliability.add(probability, true);
  const auto bins = reliability.bins();
  ASSERT_EQ(bins.size(), 4u);
  EXPECT_EQ(bins[0].predictions, 2);
  EXPECT_EQ(bins[1].predictions, 2);
  EXPECT_EQ(bins[2].predictions, 0);
  EXPECT_EQ(bins[3].predictions, 1);
  EXPECT_DOUBLE_EQ(bins[1].probability, 0.38);
  EXPECT_EQ(bins[1].accuracy, 1);
}

TEST(Reliability, PrintsTheBinsThatHavePredictions) {
  Reliability reliability;
  for (int i = 0; i < 4; ++i) reliability.add(0.75, i < 2);
  reliability.add(0.15, false);
  EXPECT_EQ(reliability.table(),
            "probability  predictions     mean  accuracy\n"
            "0.10-0.20              1   0.1500    0.0000\n"
            "0.70-0.80              4   0.7500    0.5000\n"
            "expected calibration error 0.2300, largest 0.2500\n");
}

TEST(Reliability, RefusesWhatIsNoProbability) {
  EXPECT_THROW(Reliability(0), ConfigError);
  Reliability reliability;
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(reliability.add(wrong, true), DataError);
  EXPECT_EQ(reliability.total(), 0);
  EXPECT_EQ(reliability.expected_error(), 0);
  EXPECT_EQ(reliability.largest_error(), 0);
}

}  // namespace
}  // namespace attend
