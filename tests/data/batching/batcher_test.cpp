#include "attend/data/batching/batcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "attend/error.h"
#include "data/ids.h"

namespace attend {
namespace {

constexpr SpecialTokens kSrc{.eos = 3}, kTgt{.bos = 2, .eos = 5};

// Pair i: a source of i % 13 + 1 and a target of i % 7 + 1 ids, all of which are 100 + i.
EncodedPairs pairs_of(int count) {
  RaggedBuilder src, tgt;
  for (int i = 0; i < count; ++i) {
    src.add(TokenIds(i % 13 + 1, 100 + i));
    tgt.add(TokenIds(i % 7 + 1, 100 + i));
  }
  return {src.build(), tgt.build()};
}

TEST(Batcher, ShiftsTargetsByOne) {
  const EncodedPairs pairs{Ragged::copy(TokenIds{10, 11, 12}, TokenIds{0, 2, 3}),
                           Ragged::copy(TokenIds{20, 21, 22, 23}, TokenIds{0, 3, 4})};
  const TranslationBatcher batcher(pairs, {kSrc, kTgt}, {100}, std::nullopt);
  const TranslationBatch batch = batcher.batch(0, 0);
  EXPECT_EQ(batch.src.ids, (TokenIds{10, 11, 3, 12, 3}));
  EXPECT_EQ(batch.src.offsets, (TokenIds{0, 3, 5}));
  EXPECT_EQ(batch.tgt_in.ids, (TokenIds{2, 20, 21, 22, 2, 23}));
  EXPECT_EQ(batch.tgt_in.offsets, (TokenIds{0, 4, 6}));
  EXPECT_EQ(batch.tgt_out, (TokenIds{20, 21, 22, 5, 23, 5}));
}

// A model of several languages: marks on both sides of a source, and two that the decoder begins
// with, of which it learns to write the second.
TEST(Batcher, PutsTheMarksOfTheLanguagesAroundAPair) {
  const EncodedPairs pairs{Ragged::copy(TokenIds{10, 11, 12}, TokenIds{0, 2, 3}),
                           Ragged::copy(TokenIds{20, 21, 22, 23}, TokenIds{0, 3, 4})};
  const PairTokens tokens({{40}, {3, 41}, {5, 42}}, 5);
  const TranslationBatcher batcher(pairs, tokens, {100}, std::nullopt);
  const TranslationBatch batch = batcher.batch(0, 0);
  EXPECT_EQ(batch.src.ids, (TokenIds{40, 10, 11, 3, 41, 40, 12, 3, 41}));
  EXPECT_EQ(batch.src.offsets, (TokenIds{0, 5, 9}));
  EXPECT_EQ(batch.tgt_in.ids, (TokenIds{5, 42, 20, 21, 22, 5, 42, 23}));
  EXPECT_EQ(batch.tgt_in.offsets, (TokenIds{0, 5, 8}));
  EXPECT_EQ(batch.tgt_out, (TokenIds{42, 20, 21, 22, 5, 42, 23, 5}));
  const auto size = batcher.size(0, 0);
  EXPECT_EQ(size.src_tokens, 9);
  EXPECT_EQ(size.tgt_tokens, 8);
  EXPECT_EQ(TranslationBatcher(pairs, tokens, {8}, std::nullopt).batches(0), 2)
      << "5 and 4 tokens of the sources do not fit into 8";
}

TEST(Batcher, KeepsEveryPairOnceAndTogether) {
  const TranslationBatcher batcher(pairs_of(500), {kSrc, kTgt}, {64}, 7);
  for (const std::int64_t epoch : {0, 1, 12}) {
    TokenIds seen;
    for (std::int64_t index = 0; index < batcher.batches(epoch); ++index) {
      const TranslationBatch batch = batcher.batch(epoch, index);
      ASSERT_EQ(batch.src.sequences(), batch.tgt_in.sequences());
      for (std::int64_t i = 0; i < batch.src.sequences(); ++i) {
        const std::int32_t pair = batch.src[i][0] - 100;
        TokenIds source(pair % 13 + 1, 100 + pair);
        source.push_back(3);
        TokenIds target(pair % 7 + 1, 100 + pair);
        target.insert(target.begin(), 2);
        EXPECT_EQ(copy(batch.src[i]), source);
        EXPECT_EQ(copy(batch.tgt_in[i]), target);
        seen.push_back(pair);
      }
    }
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen.size(), 500u);
    for (int i = 0; i < 500; ++i) EXPECT_EQ(seen[i], i);
  }
}

TEST(Batcher, RespectsTheTokenLimitOnBothSides) {
  const TranslationBatcher batcher(pairs_of(500), {kSrc, kTgt}, {64}, 7);
  for (std::int64_t index = 0; index < batcher.batches(0); ++index) {
    const TranslationBatch batch = batcher.batch(0, index);
    EXPECT_LE(batch.src.tokens(), 64);
    EXPECT_LE(batch.tgt_in.tokens(), 64);
  }
}

TEST(Batcher, KnowsTheSizeOfABatchBeforehand) {
  const TranslationBatcher batcher(pairs_of(100), {kSrc, kTgt}, {64}, 7);
  for (std::int64_t index = 0; index < batcher.batches(2); ++index) {
    const TranslationBatch batch = batcher.batch(2, index);
    const auto size = batcher.size(2, index);
    EXPECT_EQ(size.pairs, batch.src.sequences());
    EXPECT_EQ(size.src_tokens, batch.src.tokens());
    EXPECT_EQ(size.tgt_tokens, static_cast<std::int64_t>(batch.tgt_out->size()));
  }
}

TEST(Batcher, GivesTheSameBatchToARunThatResumes) {
  const TranslationBatcher batcher(pairs_of(300), {kSrc, kTgt}, {64}, 7);
  for (std::int64_t epoch = 0; epoch < 3; ++epoch) batcher.batch(epoch, 0);
  const TranslationBatch expected = batcher.batch(3, 2);
  const TranslationBatch actual =
      TranslationBatcher(pairs_of(300), {kSrc, kTgt}, {64}, 7).batch(3, 2);
  EXPECT_EQ(actual.src.ids, expected.src.ids);
  EXPECT_EQ(actual.tgt_out, expected.tgt_out);
  EXPECT_NE(TranslationBatcher(pairs_of(300), {kSrc, kTgt}, {64}, 8).batch(3, 2).src.ids,
            expected.src.ids);
  EXPECT_NE(batcher.batch(4, 2).src.ids, expected.src.ids);
}

TEST(Batcher, RefusesBatchesThatAreNotThere) {
  const TranslationBatcher batcher(pairs_of(10), {kSrc, kTgt}, {64}, 7);
  EXPECT_THROW(batcher.batch(0, batcher.batches(0)), DataError);
  EXPECT_THROW(batcher.size(0, -1), DataError);
  EXPECT_THROW(TranslationBatcher(EncodedPairs{}, {kSrc, kTgt}, {64}, 7), DataError);
}

TEST(Batcher, AnswersSeveralThreadsAtOnce) {
  const TranslationBatcher batcher(pairs_of(200), {kSrc, kTgt}, {64}, 7);
  std::vector<Ids> expected;
  for (int epoch = 0; epoch < 3; ++epoch) expected.push_back(batcher.batch(epoch, 1).tgt_out);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> workers;
  for (int& count : wrong) {
    workers.emplace_back([&batcher, &expected, &count] {
      for (int i = 0; i < 60; ++i) count += batcher.batch(i % 3, 1).tgt_out != expected[i % 3];
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace attend
