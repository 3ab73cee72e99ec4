// Expected values are those of scikit-learn.
#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

using Has = std::vector<bool>;

LabelCounts four_texts() {
  LabelCounts counts({"a", "b", "c"});
  counts.add(Has{true, false, true}, Has{true, false, false});
  counts.add(Has{false, false, false}, Has{false, true, false});
  counts.add(Has{true, true, false}, Has{true, true, false});
  counts.add(Has{false, true, false}, Has{false, true, true});
  return counts;
}

TEST(LabelCounts, ScoreAllDecisionsAndEachLabel) {
  const LabelCounts counts = four_texts();
  EXPECT_DOUBLE_EQ(counts.micro().precision, 4.0 / 6);
  EXPECT_DOUBLE_EQ(counts.micro().recall, 0.8);
  EXPECT_DOUBLE_EQ(counts.micro().f1, 8.0 / 11);
  EXPECT_NEAR(counts.macro().precision, 0.5555555555555555, 1e-12);
  EXPECT_NEAR(counts.macro().recall, 0.6666666666666666, 1e-12);
  EXPECT_NEAR(counts.macro().f1, 0.6, 1e-12);
  EXPECT_DOUBLE_EQ(counts.labels()[1].scores.precision, 2.0 / 3);
  EXPECT_EQ(counts.labels()[1].scores.recall, 1);
  EXPECT_EQ(counts.labels()[2].scores.f1, 0);
  EXPECT_EQ(counts.labels()[0].scores.support, 2);
}

TEST(LabelCounts, ShareTextsWithAllLabelsRight) {
  EXPECT_DOUBLE_EQ(four_texts().exact_share(), 0.25);
  EXPECT_EQ(four_texts().total(), 4);
  EXPECT_EQ(LabelCounts({"a"}).exact_share(), 0);
  EXPECT_EQ(LabelCounts({"a"}).micro().f1, 0);
}

TEST(LabelCounts, ArePrintedByLabel) {
  const std::string table = four_texts().table();
  EXPECT_NE(table.find("micro     0.6667  0.8000  0.7273         5"), table.npos) << table;
  EXPECT_NE(table.find("all labels of a text right: 0.2500 of 4 texts"), table.npos) << table;
}

TEST(LabelCounts, NeedAValueForEveryLabel) {
  EXPECT_THROW(LabelCounts({}), ConfigError);
  LabelCounts counts({"a", "b"});
  EXPECT_THROW(counts.add(Has{true}, Has{true, false}), ConfigError);
  EXPECT_THROW(counts.add(Has{true, true}, Has{true}), ConfigError);
}

}  // namespace
}  // namespace attend
