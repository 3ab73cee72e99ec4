#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

using Ranks = std::vector<std::int64_t>;

TEST(RetrievalScores, AreOneForAnswersInTheirPlaces) {
  RetrievalScores scores;
  scores.add(Ranks{1}, 1);
  scores.add(Ranks{1, 2, 3}, 3);
  EXPECT_EQ(scores.queries(), 2);
  EXPECT_DOUBLE_EQ(scores.mrr(), 1);
  EXPECT_DOUBLE_EQ(scores.ndcg(), 1);
  EXPECT_DOUBLE_EQ(scores.recall_at(1), (1 + 1.0 / 3) / 2) << "one answer finds one of three";
  EXPECT_DOUBLE_EQ(scores.recall_at(3), 1);
}

TEST(RetrievalScores, CountRanks) {
  RetrievalScores scores;
  scores.add(Ranks{3, 7}, 4);
  EXPECT_DOUBLE_EQ(scores.recall_at(2), 0);
  EXPECT_DOUBLE_EQ(scores.recall_at(3), 0.25);
  EXPECT_DOUBLE_EQ(scores.recall_at(10), 0.5);
  EXPECT_DOUBLE_EQ(scores.mrr(), 1.0 / 3);
  const double gain = 1 / std::log2(4.0) + 1 / std::log2(8.0);
  const double best = 1 + 1 / std::log2(3.0) + 1 / std::log2(4.0) + 1 / std::log2(5.0);
  EXPECT_NEAR(scores.ndcg(), gain / best, 1e-12);
}

TEST(RetrievalScores, KnowTheFirstRankBeyondTheirDepth) {
  RetrievalScores scores;
  scores.add(Ranks{10}, 1);
  scores.add(Ranks{11}, 1);
  EXPECT_DOUBLE_EQ(scores.recall_at(10), 0.5);
  EXPECT_NEAR(scores.mrr(), (0.1 + 1.0 / 11) / 2, 1e-12);
  EXPECT_NEAR(scores.ndcg(), 1 / std::log2(11.0) / 2, 1e-12);
}

TEST(RetrievalScores, CompareWithTheBestOfTenAnswers) {
  RetrievalScores scores;
  scores.add(Ranks{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 30);
  EXPECT_DOUBLE_EQ(scores.ndcg(), 1);
  EXPECT_NEAR(scores.recall_at(10), 1.0 / 3, 1e-12);
}

TEST(RetrievalScores, ArePrinted) {
  RetrievalScores scores;
  EXPECT_EQ(scores.mrr(), 0);
  scores.add(Ranks{2}, 1);
  EXPECT_EQ(scores.table(),
            "queries    1\n"
            "recall@1   0.0000\n"
            "recall@5   1.0000\n"
            "recall@10  1.0000\n"
            "MRR        0.5000\n"
            "nDCG@10    0.6309\n");
}

TEST(RetrievalScores, NeedRanks) {
  RetrievalScores scores;
  EXPECT_THROW(scores.add(Ranks{}, 1), ConfigError);
  EXPECT_THROW(scores.add(Ranks{0}, 1), ConfigError);
  EXPECT_THROW(scores.recall_at(0), ConfigError);
  EXPECT_THROW(scores.recall_at(11), ConfigError);
}

}  // namespace
}  // namespace attend
