#include "attend/metrics.h"

#include <gtest/gtest.h>

#include "attend/error.h"

namespace attend {
namespace {

// Gold rows: a: 3 right, 1 as b; b: 2 as a, 4 right; c: never predicted, 1 as b.
ConfusionMatrix example() {
  ConfusionMatrix matrix({"a", "b", "c"});
  const std::vector<std::int64_t> gold{0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2},
      predicted{0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1};
  matrix.add(gold, predicted);
  return matrix;
}

TEST(ConfusionMatrix, Counts) {
  const auto matrix = example();
  EXPECT_EQ(matrix.total(), 11);
  EXPECT_EQ(matrix.count(0, 1), 1);
  EXPECT_EQ(matrix.count(1, 0), 2);
  EXPECT_NEAR(matrix.accuracy(), 7.0 / 11, 1e-12);
}

TEST(ConfusionMatrix, ScoresEachClass) {
  const auto matrix = example();
  const ClassScores b = matrix.of_class(1);
  EXPECT_NEAR(b.precision, 4.0 / 6, 1e-12);
  EXPECT_NEAR(b.recall, 4.0 / 6, 1e-12);
  EXPECT_NEAR(b.f1, 4.0 / 6, 1e-12);
  EXPECT_EQ(b.support, 6);
  const ClassScores a = matrix.of_class(0);
  EXPECT_NEAR(a.precision, 3.0 / 5, 1e-12);
  EXPECT_NEAR(a.recall, 3.0 / 4, 1e-12);
  EXPECT_NEAR(a.f1, 2 * 0.6 * 0.75 / 1.35, 1e-12);
  const ClassScores c = matrix.of_class(2);
  EXPECT_EQ(c.precision, 0);
  EXPECT_EQ(c.recall, 0);
  EXPECT_EQ(c.f1, 0);
  EXPECT_NEAR(matrix.macro_f1(), (a.f1 + b.f1) / 3, 1e-12);
  EXPECT_NEAR(matrix.weighted_f1(), (4 * a.f1 + 6 * b.f1) / 11, 1e-12);
}

TEST(ConfusionMatrix, LeavesClassesThatDoNotOccurOutOfTheMean) {
  ConfusionMatrix matrix({"a", "b", "c"});
  matrix.add(0, 0);
  matrix.add(0, 0);
  EXPECT_EQ(matrix.macro_f1(), 1);
  matrix.add(0, 2);  // now c occurs, and has nothing right
  EXPECT_NEAR(matrix.macro_f1(), 0.8 / 2, 1e-12);
}

TEST(ConfusionMatrix, PrintsATable) {
  ConfusionMatrix matrix({"negativ", "größer"});
  matrix.add(0, 0);
  matrix.add(1, 0);
  EXPECT_EQ(matrix.table(),
            "   class  precision  recall      F1   support\n"
            " negativ     0.5000  1.0000  0.6667         1\n"
            "  größer     0.0000  0.0000  0.0000         1\n"
            "   macro                     0.3333         2\n"
            "weighted                     0.3333         2\n"
            "accuracy  0.5000 (95 % 0.0945 .. 0.9055; always \"negativ\": 0.5000)\n"
            "The model is no better than always answering \"negativ\".\n"
            "\n"
            "gold \\ predicted   negativ    größer\n"
            "         negativ         1         0\n"
            "          größer         1         0\n");
}

TEST(ConfusionMatrix, ComparesWithTheMajority) {
  const auto matrix_of = [](int right_a, int right_b, int wrong_a, int wrong_b) {
    ConfusionMatrix matrix({"a", "b"});
    for (int i = 0; i < right_a; ++i) matrix.add(0, 0);
    for (int i = 0; i < right_b; ++i) matrix.add(1, 1);
    for (int i = 0; i < wrong_a; ++i) matrix.add(0, 1);
    for (int i = 0; i < wrong_b; ++i) matrix.add(1, 0);
    return matrix;
  };
  const ConfusionMatrix good = matrix_of(30, 51, 10, 9);
  EXPECT_EQ(good.majority(), 1);
  EXPECT_NEAR(good.majority_share(), 0.6, 1e-12);
  // statsmodels.stats.proportion.proportion_confint(81, 100, method="wilson")
  EXPECT_NEAR(good.accuracy_interval().low, 0.7222, 5e-5);
  EXPECT_NEAR(good.accuracy_interval().high, 0.87485, 5e-5);
  EXPECT_FALSE(good.may_be_majority());
  EXPECT_EQ(good.table().find("always answering"), std::string::npos) << good.table();
  EXPECT_NE(good.table().find("always \"b\": 0.6000"), std::string::npos) << good.table();
  const ConfusionMatrix close = matrix_of(5, 60, 35, 0);
  EXPECT_TRUE(close.may_be_majority());
  EXPECT_NE(close.table().find("not clearly better than always answering \"b\""), std::string::npos)
      << close.table();
  const ConfusionMatrix worse = matrix_of(5, 50, 35, 10);
  EXPECT_NE(worse.table().find("no better than always answering \"b\""), std::string::npos)
      << worse.table();
  const ShareInterval perfect = matrix_of(5, 5, 0, 0).accuracy_interval(),
                      none = ConfusionMatrix({"a"}).accuracy_interval();
  EXPECT_NEAR(perfect.high, 1, 1e-12);
  EXPECT_NEAR(perfect.low, 0.7225, 5e-5);
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 1);
}

TEST(ConfusionMatrix, RefusesClassesItDoesNotHave) {
  ConfusionMatrix matrix({"a", "b"});
  EXPECT_THROW(matrix.add(2, 0), DataError);
  EXPECT_THROW(matrix.add(0, -1), DataError);
  EXPECT_THROW(matrix.add(std::vector<std::int64_t>{0, 1}, std::vector<std::int64_t>{0}),
               ConfigError);
  EXPECT_THROW(ConfusionMatrix({}), ConfigError);
  EXPECT_EQ(matrix.accuracy(), 0);
}

}  // namespace
}  // namespace attend
