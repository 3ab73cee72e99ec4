// Expected values are those of scipy.
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "attend/metrics.h"

namespace attend {
namespace {

TEST(NumberErrors, MeasureErrorsAndCorrelations) {
  NumberErrors errors;
  for (const auto& [gold, predicted] : std::vector<std::pair<double, double>>{
           {1, 0.9}, {2.5, 2}, {2.5, 3}, {-1, -1}, {4, 3.5}, {0, 1.5}})
    errors.add(gold, predicted);
  EXPECT_EQ(errors.total(), 6);
  EXPECT_NEAR(errors.pearson(), 0.912349316988787, 1e-12);
  EXPECT_NEAR(errors.spearman(), 0.9276336570439174, 1e-12);
  EXPECT_NEAR(errors.mean_squared_error(), (0.01 + 3 * 0.25 + 2.25) / 6, 1e-12);
  EXPECT_NEAR(errors.variance(), 17.0 / 6, 1e-12);
  const std::string table = errors.table();
  EXPECT_NE(table.find("Pearson             0.9123"), table.npos) << table;
  EXPECT_NE(table.find("always the mean: 2.83333"), table.npos) << table;
}

TEST(NumberErrors, AreZeroWithoutNumbers) {
  const NumberErrors none;
  EXPECT_EQ(none.mean_squared_error(), 0);
  EXPECT_EQ(none.variance(), 0);
  EXPECT_EQ(none.spearman(), 0);
}

}  // namespace
}  // namespace attend
