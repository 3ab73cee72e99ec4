#include "attend/tasks/embedding/retrieval.h"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <string>

#include "attend/core/random/random.h"
#include "attend/embedder.h"

namespace attend {
namespace {

RelatedTexts related_of(int texts, std::vector<TextTuple> tuples) {
  RelatedTexts related;
  for (int i = 0; i < texts; ++i) related.texts.push_back(std::to_string(i));
  related.tuples = std::move(tuples);
  return related;
}

TEST(Retrieval, SearchesAllPositivesAndNegativesForThoseOfAnAnchor) {
  const Retrieval retrieval = retrieval_of(related_of(6, {{0, 1, 2}, {3, 4, 5}, {0, 4, 2}}));
  EXPECT_EQ(retrieval.documents, (std::vector<std::int32_t>{1, 2, 4, 5}));
  ASSERT_EQ(retrieval.queries.size(), 2u);
  EXPECT_EQ(retrieval.queries[0].text, 0);
  EXPECT_EQ(retrieval.queries[0].relevant, (std::vector<std::int32_t>{1, 4}));
  EXPECT_EQ(retrieval.queries[1].relevant, (std::vector<std::int32_t>{4}));
}

TEST(Retrieval, SearchesAllLabeledTextsForThoseOfTheLabel) {
  RelatedTexts related = related_of(5, {});
  related.labels = {0, 1, 0, 2, 0};
  const Retrieval retrieval = retrieval_of(related);
  EXPECT_EQ(retrieval.documents, (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
  ASSERT_EQ(retrieval.queries.size(), 3u) << "texts alone with their label find nothing";
  EXPECT_EQ(retrieval.queries[1].text, 2);
  EXPECT_EQ(retrieval.queries[1].relevant, (std::vector<std::int32_t>{0, 4}));
}

TEST(Retrieval, TakesATextWithTwoLabelsForOneThatBelongsToBoth) {
  RelatedTexts related = related_of(6, {});
  related.texts[2] = related.texts[0];
  related.labels = {0, 0, 1, 1, 2, 2};
  const Retrieval retrieval = retrieval_of(related);
  EXPECT_EQ(retrieval.documents, (std::vector<std::int32_t>{0, 1, 3, 4, 5}));
  ASSERT_EQ(retrieval.queries.size(), 5u);
  EXPECT_EQ(retrieval.queries[0].text, 0);
  EXPECT_EQ(retrieval.queries[0].relevant, (std::vector<std::int32_t>{1, 3}));
  EXPECT_EQ(retrieval.queries[1].relevant, (std::vector<std::int32_t>{0}));
  EXPECT_EQ(retrieval.queries[2].text, 3);
  EXPECT_EQ(retrieval.queries[2].relevant, (std::vector<std::int32_t>{0}));
  // The texts of labels 0 and 1 lie on both sides of the one that has both.
  const std::vector<float> values{8, 0, 8, 1, 8, 0, 8, -1, -8, 0, -8, 1};
  const RetrievalScores scores = retrieval_scores(Tensor::from(values, {6, 2}), retrieval);
  EXPECT_DOUBLE_EQ(scores.mrr(), 1);
  EXPECT_DOUBLE_EQ(scores.ndcg(), 1);
}

TEST(Retrieval, RanksByCosineAndOfEqualOnesTheFirst) {
  // Lengths do not matter; texts 2 and 3 are equally near to the anchor 0.
  const std::vector<float> values{1, 0, 0, 5, 3, 3, 1, 1, -1, 0};
  const Tensor vectors = Tensor::from(values, {5, 2});
  const auto mrr = [&](std::int32_t positive) {
    RelatedTexts related = related_of(5, {{0, positive}, {4, 1}, {4, 2}, {4, 3}, {4, 4}});
    Retrieval retrieval = retrieval_of(related);
    retrieval.queries.resize(1);
    return retrieval_scores(vectors, retrieval).mrr();
  };
  EXPECT_DOUBLE_EQ(mrr(2), 1);
  EXPECT_DOUBLE_EQ(mrr(3), 0.5);
  EXPECT_DOUBLE_EQ(mrr(1), 1.0 / 3);
  EXPECT_DOUBLE_EQ(mrr(4), 0.25);
}

// More queries than are searched at once, compared with sorting all cosines.
TEST(Retrieval, EqualsASearchByHand) {
  constexpr std::int32_t kTexts = 600;
  Random random({5, 5});
  std::vector<float> values;
  for (int i = 0; i < kTexts * 4; ++i) values.push_back(random.normal());
  RelatedTexts related = related_of(kTexts, {});
  for (int i = 0; i < kTexts; ++i)
    related.labels.push_back(static_cast<std::int32_t>(random.below(40)));
  const Retrieval retrieval = retrieval_of(related);
  const RetrievalScores found = retrieval_scores(Tensor::from(values, {kTexts, 4}), retrieval);
  RetrievalScores expected;
  const auto row = [&](std::int32_t i) {
    return std::span<const float>(values).subspan(static_cast<std::size_t>(i) * 4, 4);
  };
  for (const Retrieval::Query& query : retrieval.queries) {
    std::vector<std::int32_t> order;
    for (std::int32_t i = 0; i < kTexts; ++i)
      if (i != query.text) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return cosine_similarity(row(query.text), row(a)) >
             cosine_similarity(row(query.text), row(b));
    });
    std::vector<std::int64_t> ranks;
    for (std::size_t i = 0; i < order.size(); ++i)
      if (std::count(query.relevant.begin(), query.relevant.end(), order[i]) > 0)
        ranks.push_back(static_cast<std::int64_t>(i) + 1);
    expected.add(ranks, std::ssize(query.relevant));
  }
  EXPECT_EQ(found.queries(), expected.queries());
  EXPECT_NEAR(found.mrr(), expected.mrr(), 1e-3);
  EXPECT_NEAR(found.ndcg(), expected.ndcg(), 1e-3);
  EXPECT_NEAR(found.recall_at(10), expected.recall_at(10), 1e-3);
}

TEST(CosineSpearman, FollowsTheScores) {
  const std::vector<float> values{1, 0, 2, 1, 1, 1, 0, 1};
  const Tensor vectors = Tensor::from(values, {4, 2});
  ScoredTexts scored;
  scored.pairs = {{0, 1, 3.0}, {0, 2, 2.0}, {0, 3, 1.0}};
  EXPECT_DOUBLE_EQ(similarity_spearman(vectors, scored), 1);
  std::swap(scored.pairs[0].score, scored.pairs[2].score);
  EXPECT_DOUBLE_EQ(similarity_spearman(vectors, scored), -1);
}

TEST(RetrievalScores, RankByTheSimilarityOfTheModel) {
  // The query (1, 0): its answer is the longest by product, the nearest by no measure.
  const std::vector<float> values{1, 0, 5, 5, 1, 0.2f, 0.5f, 0};
  const Tensor vectors = Tensor::from(values, {4, 2});
  const Retrieval retrieval{{{0, {1}}}, {1, 2, 3}};
  EXPECT_DOUBLE_EQ(retrieval_scores(vectors, retrieval, Similarity::dot).mrr(), 1);
  EXPECT_DOUBLE_EQ(retrieval_scores(vectors, retrieval).mrr(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(retrieval_scores(vectors, retrieval, Similarity::euclidean).mrr(), 1.0 / 3);
  EXPECT_DOUBLE_EQ(retrieval_scores(vectors, retrieval, Similarity::manhattan).mrr(), 1.0 / 3);
}

// Values of sentence_transformers.util: pairwise_cos_sim and so on.
TEST(Similarity, IsThatOfSentenceTransformers) {
  const std::vector<float> a{1, 2, -2}, b{4, 0, 3};
  EXPECT_FLOAT_EQ(similarity(Similarity::cosine, a, b), -2.0f / 15);
  EXPECT_FLOAT_EQ(similarity(Similarity::dot, a, b), -2);
  EXPECT_FLOAT_EQ(similarity(Similarity::euclidean, a, b), -std::sqrt(38.0f));
  EXPECT_FLOAT_EQ(similarity(Similarity::manhattan, a, b), -10);
  EXPECT_THROW(similarity(Similarity::dot, a, std::vector<float>{1}), ConfigError);
}

}  // namespace
}  // namespace attend
