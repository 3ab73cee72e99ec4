#include "attend/data/batching/tuple_batcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "attend/error.h"
#include "data/ids.h"

namespace attend {
namespace {

// Text i has i + 1 tokens, all of them i.
Ragged numbered_texts(int count) {
  RaggedBuilder texts;
  for (int i = 0; i < count; ++i)
    texts.add(std::vector<std::int32_t>(static_cast<std::size_t>(i + 1), i));
  return texts.build();
}

RelatedTexts tuples_of(int texts, std::vector<TextTuple> tuples) {
  RelatedTexts related;
  for (int i = 0; i < texts; ++i) related.texts.push_back(std::to_string(i));
  related.tuples = std::move(tuples);
  return related;
}

RelatedTexts labeled_texts(std::vector<std::int32_t> labels) {
  RelatedTexts related = tuples_of(static_cast<int>(labels.size()), {});
  related.labels = std::move(labels);
  return related;
}

TupleBatcher batcher_of(const RelatedTexts& related, std::int64_t tokens,
                        std::optional<std::uint64_t> seed = std::nullopt) {
  return {numbered_texts(static_cast<int>(related.texts.size())), related, {tokens}, seed};
}

TEST(TupleBatcher, LaysOutAnchorsPositivesAndNegatives) {
  const TupleBatcher batches = batcher_of(tuples_of(6, {{0, 1, 2}, {3, 4, 5}}), 100);
  ASSERT_EQ(batches.batches(0), 1);
  const TupleBatch batch = batches.batch(0, 0);
  EXPECT_EQ(batch.texts, (TokenIds{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(batch.tuples, 2);
  EXPECT_EQ(batch.candidates(), 4);
  EXPECT_TRUE(batch.ignored.empty());
  EXPECT_EQ(batches.tokens_of(batch).length(5), 6);
  EXPECT_EQ(batches.size(0, 0).tuples, 2);
  EXPECT_EQ(batches.size(0, 0).tokens, 21);
  EXPECT_EQ(batches.tuples(), 2);
  EXPECT_THROW(batches.batch(0, 1), DataError);
}

TEST(TupleBatcher, KnowsTheOtherRightAnswersOfABatch) {
  // The first and the last pair have the same anchor; the second answers with the first's anchor.
  const TupleBatcher batches = batcher_of(tuples_of(4, {{0, 1}, {2, 0}, {0, 3}}), 100);
  const TupleBatch batch = batches.batch(0, 0);
  const std::vector<char> expected{0, 1, 1,   // 0 finds 1; not wrong: itself and 3
                                   0, 0, 0,   // 2 finds 0
                                   1, 1, 0};  // 0 finds 3
  EXPECT_EQ(batch.ignored, expected);
}

TEST(TupleBatcher, NeverTakesTheNegativeOfATripletForRight) {
  // The first's negative belongs to its anchor by the second triplet.
  const TupleBatcher batches = batcher_of(tuples_of(4, {{0, 1, 2}, {0, 2, 3}}), 100);
  const TupleBatch batch = batches.batch(0, 0);  // candidates 1 2 2 3
  const std::vector<char> expected{0, 1, 0, 0,   //
                                   1, 0, 1, 0};
  EXPECT_EQ(batch.ignored, expected);
}

TEST(TupleBatcher, FillsBatchesUpToTheirTokens) {
  const TupleBatcher batches = batcher_of(tuples_of(6, {{0, 1}, {2, 3}, {4, 5}}), 10);
  ASSERT_EQ(batches.batches(0), 2);
  EXPECT_EQ(batches.size(0, 0).tokens, 10);
  EXPECT_EQ(batches.size(0, 1).tokens, 11) << "a pair of more tokens is a batch of its own";
  TupleBatcher limited = batcher_of(tuples_of(6, {{0, 1}, {2, 3}, {4, 5}}), 100);
  limited.limit_batches(10);
  EXPECT_EQ(limited.batches(0), 2);
}

TEST(TupleBatcher, PairsTheTextsOfALabelAnewInEveryEpoch) {
  const RelatedTexts related = labeled_texts({0, 1, 0, 0, 1, 2, 0, 0, 0, 0});
  const TupleBatcher batches = batcher_of(related, 1000, 3);
  std::set<std::set<std::pair<std::size_t, std::size_t>>> seen;  // in any order
  for (std::int64_t epoch = 0; epoch < 20; ++epoch) {
    ASSERT_EQ(batches.batches(epoch), 1);
    const TupleBatch batch = batches.batch(epoch, 0);
    EXPECT_EQ(batch.tuples, 5) << "seven texts of a label make four pairs, two make one";
    std::multiset<std::int32_t> used(batch.texts.begin(), batch.texts.end());
    EXPECT_EQ(used.count(5), 0u) << "alone with its label";
    for (const std::int32_t text : {0, 2, 3, 6, 7, 8, 9, 1, 4}) EXPECT_GE(used.count(text), 1u);
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::int64_t i = 0; i < batch.tuples; ++i) {
      const auto anchor = static_cast<std::size_t>(batch.texts[static_cast<std::size_t>(i)]);
      const auto positive =
          static_cast<std::size_t>(batch.texts[static_cast<std::size_t>(i + batch.tuples)]);
      EXPECT_NE(anchor, positive);
      pairs.emplace(anchor, positive);
      EXPECT_EQ(related.labels[anchor], related.labels[positive]);
      for (std::int64_t j = 0; j < batch.tuples; ++j) {
        const auto other =
            static_cast<std::size_t>(batch.texts[static_cast<std::size_t>(j + batch.tuples)]);
        const bool right = i != j && related.labels[anchor] == related.labels[other];
        EXPECT_EQ(batch.ignored[static_cast<std::size_t>(i * batch.tuples + j)] != 0, right);
      }
    }
    seen.insert(pairs);
  }
  EXPECT_GT(seen.size(), 15u);
}

TEST(TupleBatcher, KnowsThatATextHasAllLabelsItOccursWith) {
  RelatedTexts related = labeled_texts({0, 0, 0, 0, 1, 1});
  related.texts[4] = related.texts[1];
  const TupleBatch batch = batcher_of(related, 100).batch(0, 0);
  ASSERT_EQ(batch.texts, (TokenIds{0, 4, 2, 1, 5, 3}));
  const std::vector<char> expected{0, 0, 1,   // 0 finds 1; not wrong: 3
                                   1, 0, 1,   // 4 finds 5; not wrong: itself as 1, and 3
                                   1, 0, 0};  // 2 finds 3; not wrong: 1
  EXPECT_EQ(batch.ignored, expected);
}

TEST(TupleBatcher, TakesLabelsInTurnWithoutASeed) {
  const RelatedTexts related = labeled_texts({0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3});
  const TupleBatcher whole = batcher_of(related, 1000);
  ASSERT_EQ(whole.batches(0), 1);
  EXPECT_EQ(whole.batch(0, 0).texts, (TokenIds{0, 5, 7, 2, 9, 4, 1, 6, 8, 3, 10, 0}));
  const TupleBatch first = batcher_of(labeled_texts({0, 0, 1, 1, 1, 0, 0}), 11).batch(0, 0);
  EXPECT_EQ(first.texts, (TokenIds{0, 2, 1, 3}));
  EXPECT_TRUE(first.ignored.empty()) << "its labels differ";
}

TEST(TupleBatcher, KnowsWhetherThereIsAWrongAnswer) {
  const RelatedTexts pairs = tuples_of(4, {{0, 1}, {2, 3}}), same = tuples_of(3, {{0, 1}, {0, 2}});
  EXPECT_TRUE(batcher_of(pairs, 100).has_wrong_answers());
  EXPECT_FALSE(batcher_of(pairs, 5).has_wrong_answers()) << "a batch for each pair";
  EXPECT_FALSE(batcher_of(same, 100).has_wrong_answers()) << "of the same text";
  EXPECT_TRUE(batcher_of(tuples_of(3, {{0, 1, 2}}), 100).has_wrong_answers());
  EXPECT_TRUE(batcher_of(labeled_texts({0, 0, 1, 1}), 100).has_wrong_answers());
  EXPECT_FALSE(batcher_of(labeled_texts({0, 0, 0, 0, 1}), 100).has_wrong_answers());
}

TEST(TupleBatcher, IsAFunctionOfSeedAndEpoch) {
  const RelatedTexts related = labeled_texts({0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1});
  const TupleBatcher one = batcher_of(related, 1000, 1), again = batcher_of(related, 1000, 1),
                     two = batcher_of(related, 1000, 2), ordered = batcher_of(related, 1000);
  const std::vector<std::int32_t> later = again.batch(7, 0).texts;
  EXPECT_EQ(one.batch(0, 0).texts, again.batch(0, 0).texts) << "whatever was asked before";
  EXPECT_EQ(one.batch(7, 0).texts, later);
  EXPECT_NE(one.batch(0, 0).texts, two.batch(0, 0).texts);
  EXPECT_EQ(ordered.batch(0, 0).texts, ordered.batch(5, 0).texts);
}

}  // namespace
}  // namespace attend
