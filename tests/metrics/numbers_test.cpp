#include <gtest/gtest.h>

#include <vector>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

using Numbers = std::vector<double>;

TEST(Correlation, IsOneForAnyRisingLine) {
  EXPECT_DOUBLE_EQ(pearson_correlation(Numbers{1, 2, 4}, Numbers{12, 14, 18}), 1);
  EXPECT_DOUBLE_EQ(pearson_correlation(Numbers{1, 2, 4}, Numbers{-1, -2, -4}), -1);
}

// scipy.stats.pearsonr and spearmanr of the same numbers.
TEST(Correlation, AgreesWithScipy) {
  const Numbers a{1, 2, 3, 4, 5}, b{5, 6, 7, 8, 7};
  EXPECT_NEAR(pearson_correlation(a, b), 0.8320502943378437, 1e-15);
  EXPECT_NEAR(spearman_correlation(a, b), 0.8207826816681233, 1e-15);
}

TEST(Correlation, OfRanksIgnoresHowMuchNumbersDiffer) {
  EXPECT_DOUBLE_EQ(spearman_correlation(Numbers{1, 2, 3, 1e9}, Numbers{-5, 0, 0.1, 0.2}), 1);
}

TEST(Correlation, SharesTheRanksOfEqualNumbers) {
  EXPECT_DOUBLE_EQ(spearman_correlation(Numbers{1, 1, 2, 2}, Numbers{3, 3, 7, 7}), 1);
  EXPECT_DOUBLE_EQ(spearman_correlation(Numbers{1, 1, 2, 2}, Numbers{1, 2, 1, 2}), 0);
}

TEST(Correlation, IsNoneWhereNothingVaries) {
  EXPECT_EQ(pearson_correlation(Numbers{2, 2, 2}, Numbers{1, 2, 3}), 0);
  EXPECT_EQ(spearman_correlation(Numbers{1, 2, 3}, Numbers{2, 2, 2}), 0);
  EXPECT_EQ(pearson_correlation(Numbers{}, Numbers{}), 0);
  EXPECT_EQ(spearman_correlation(Numbers{1}, Numbers{2}), 0);
}

TEST(Correlation, StaysFiniteForLargeAndSmallNumbers) {
  EXPECT_NEAR(pearson_correlation(Numbers{1e150, 2e150, 3e150}, Numbers{1e-150, 2e-150, 3e-150}), 1,
              1e-12);
}

TEST(Correlation, NeedsAsManyNumbersOnBothSides) {
  EXPECT_THROW(pearson_correlation(Numbers{1, 2}, Numbers{1}), ConfigError);
  EXPECT_THROW(spearman_correlation(Numbers{}, Numbers{1}), ConfigError);
}

}  // namespace
}  // namespace attend
