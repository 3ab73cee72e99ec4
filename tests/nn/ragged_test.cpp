#include "attend/nn/ragged.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "attend/error.h"
#include "attend/nn/pass.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Numbers = std::vector<std::int32_t>;

TEST(Ragged, IsSequencesEndToEnd) {
  const Ragged tokens = Ragged::copy(Numbers{5, 6, 7}, Numbers{0, 2, 2, 3});
  EXPECT_EQ(tokens.sequences(), 3);
  EXPECT_EQ(tokens.tokens(), 3);
  EXPECT_EQ(tokens.ids, (Numbers{5, 6, 7}));
}

TEST(Ragged, MayHoldNoSequence) {
  const Ragged tokens = Ragged::copy(Numbers{}, Numbers{0});
  EXPECT_EQ(tokens.sequences(), 0);
  EXPECT_EQ(tokens.tokens(), 0);
}

TEST(Ragged, TwiceIsAllSequencesAndThenAllAgain) {
  const Ragged twice = Ragged::copy(Numbers{5, 6, 7}, Numbers{0, 2, 2, 3}).twice();
  EXPECT_EQ(twice.ids, (Numbers{5, 6, 7, 5, 6, 7}));
  EXPECT_EQ(twice.offsets, (Numbers{0, 2, 2, 3, 5, 5, 6}));
}

TEST(Ragged, IsCutBetweenSequences) {
  const Ragged tokens = Ragged::copy(Numbers{5, 6, 7, 8}, Numbers{0, 2, 2, 3, 4});
  EXPECT_EQ(tokens.slice(1, 3).ids, (Numbers{7}));
  EXPECT_EQ(tokens.slice(1, 3).offsets, (Numbers{0, 0, 1}));
  EXPECT_EQ(tokens.slice(0, 4).ids, tokens.ids);
  EXPECT_EQ(tokens.slice(4, 4).offsets, (Numbers{0}));
  for (const auto& [begin, end] : {std::pair{-1, 2}, {2, 1}, {0, 5}})
    expect_error<ShapeError>([&] { tokens.slice(begin, end); }, {"[ragged]", "4 sequences"});
}

TEST(Ragged, IsBuiltSequenceBySequence) {
  RaggedBuilder builder;
  builder.add(Numbers{1, 2, 3});
  builder.end_sequence();
  builder.append(4);
  builder.append(Numbers{5, 6});
  builder.end_sequence();
  EXPECT_EQ(builder.tokens(), 6);
  const Ragged ragged = builder.build();
  EXPECT_EQ(ragged.sequences(), 3);
  EXPECT_EQ(Numbers(ragged[0].begin(), ragged[0].end()), (Numbers{1, 2, 3}));
  EXPECT_EQ(ragged.length(1), 0);
  EXPECT_EQ(Numbers(ragged[2].begin(), ragged[2].end()), (Numbers{4, 5, 6}));
  EXPECT_EQ(ragged.offsets, (Numbers{0, 3, 3, 6}));
  EXPECT_EQ(builder.build().sequences(), 0) << "a builder begins again";
  EXPECT_EQ(Ragged::one(Numbers{7, 8}).offsets, (Numbers{0, 2}));
  EXPECT_EQ(Ragged::one_each(Numbers{7, 8}).offsets, (Numbers{0, 1, 2}));
}

TEST(Ragged, RefusesOffsetsThatDoNotRiseFromZeroToTheNumberOfIds) {
  for (const Numbers& offsets : {Numbers{}, Numbers{1, 3}, Numbers{0, 2}, Numbers{0, 4},
                                 Numbers{0, 3, 2, 3}, Numbers{0, -1, 3}})
    expect_error<ShapeError>(
        [&] {
          Ragged::copy(Numbers{5, 6, 7}, offsets);
        },
        {"[ragged]", "from 0 to 3"});
}

TEST(Ragged, AttendsWithinItsSequences) {
  const Ragged src = Ragged::copy(Numbers{5, 6, 7}, Numbers{0, 2, 3}),
               tgt = Ragged::copy(Numbers{1, 2}, Numbers{0, 1, 2});
  EXPECT_TRUE(tgt.self_layout(true).causal);
  EXPECT_FALSE(src.self_layout(false).causal);
  EXPECT_EQ(src.self_layout(false).key_offsets, src.offsets);
  EXPECT_EQ(tgt.cross_layout(src).query_offsets, tgt.offsets);
  EXPECT_EQ(tgt.cross_layout(src).key_offsets, src.offsets);
  EXPECT_FALSE(tgt.cross_layout(src).causal);
}

TEST(Pass, DropsNothingInInference) {
  Pass pass = Pass::inference();
  EXPECT_FALSE(pass.is_training());
  EXPECT_EQ(pass.dropout(0.5f).p, 0.0f);
}

TEST(Pass, GivesEveryModuleAMaskOfItsOwnAndEveryStepOthers) {
  Pass pass = Pass::training(1, 10), again = Pass::training(1, 10), next = Pass::training(1, 11);
  EXPECT_TRUE(pass.is_training());
  const Dropout first = pass.dropout(0.5f), second = pass.dropout(0.5f);
  EXPECT_EQ(first.p, 0.5f);
  EXPECT_NE(first.key.stream, second.key.stream);
  EXPECT_EQ(first.key.stream, again.dropout(0.5f).key.stream)
      << "the same step gives the same masks";
  const Dropout later = next.dropout(0.5f);
  EXPECT_NE(later.key.stream, first.key.stream);
  EXPECT_NE(later.key.stream, second.key.stream);
  EXPECT_EQ(pass.dropout(0.0f).p, 0.0f);
}

}  // namespace
}  // namespace attend
