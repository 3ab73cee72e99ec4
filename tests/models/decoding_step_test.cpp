// Decoding token by token with a cache gives what whole prefixes give.
#include <gtest/gtest.h>

#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "attend/models/make_encoder_decoder.h"
#include "backend/scoped_backend.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Numbers = std::vector<std::int32_t>;

struct Run {
  EncoderDecoderVariant variant;
  Backend& (*backend)();
};

class DecodingStep : public testing::TestWithParam<Run> {
 protected:
  DecodingStep()
      : backend_(GetParam().backend()),
        owner_(make_encoder_decoder(GetParam().variant.config, 1)),
        model_(*owner_) {}

  Tensor last_hidden(const Ragged& src, const Numbers& prefix) const {
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Ragged tgt = Ragged::copy(prefix, Numbers{0, static_cast<std::int32_t>(prefix.size())});
    const Tensor hidden = model_.decode(tgt, model_.encode(src, pass), src, pass).value();
    return hidden.slice_rows(hidden.rows() - 1, hidden.rows());
  }

  ScopedBackend backend_;
  std::shared_ptr<EncoderDecoder> owner_;
  EncoderDecoder& model_;
};

std::vector<Run> runs() {
  std::vector<Run> all;
  for (const EncoderDecoderVariant& variant : encoder_decoder_variants()) {
    for (const auto backend : {&reference_backend, &fast_backend})
      all.push_back({variant, backend});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, DecodingStep, testing::ValuesIn(runs()), [](const auto& suite) {
  return suite.param.variant.name +
         (suite.param.backend == &reference_backend ? "_Reference" : "_Fast");
});

// Bit for bit in the reference. The fast attention of a single query adds its products in another
// order than that of whole sequences; after two layers this is some 1e-6 of states around 1.
TEST_P(DecodingStep, GivesTheStatesOfAPassOverTheWholePrefix) {
  const Ragged src = random_tokens({3, 0, 12}, model_.config().src_vocab_size);
  const auto state = model_.begin(src);
  ASSERT_EQ(state->hypotheses(), 3);
  std::vector<Numbers> prefixes(3);
  Random random({4, 4});
  for (int t = 0; t < 12; ++t) {
    Numbers tokens;
    for (Numbers& prefix : prefixes) {
      tokens.push_back(static_cast<std::int32_t>(random.below(23)));
      prefix.push_back(tokens.back());
    }
    const Tensor states = state->step(Numbers{0, 1, 2}, tokens);
    for (std::size_t r = 0; r < 3; ++r) {
      const Tensor expected = last_hidden(alone(src, r), prefixes[r]);
      const Tensor found =
          states.slice_rows(static_cast<std::int64_t>(r), static_cast<std::int64_t>(r) + 1);
      EXPECT_LE(largest_difference(found, expected), 5e-6) << "sentence " << r << ", step " << t;
      EXPECT_TRUE(GetParam().backend == &fast_backend || same_bits(found, expected))
          << "sentence " << r << ", step " << t;
    }
  }
}

// A hypothesis has the same states alone, beside others, and in any row.
TEST_P(DecodingStep, DoesNotDependOnTheOtherHypotheses) {
  const Ragged src = random_tokens({5, 4}, model_.config().src_vocab_size);
  const auto together = model_.begin(src), single = model_.begin(alone(src, 1));
  together->step(Numbers{0, 1}, Numbers{1, 1});
  single->step(Numbers{0}, Numbers{1});
  const Tensor many = together->step(Numbers{1, 0, 1, 1}, Numbers{7, 8, 9, 7});
  const Tensor one = single->step(Numbers{0}, Numbers{7});
  EXPECT_TRUE(same_bits(many.slice_rows(0, 1), one));
  EXPECT_TRUE(same_bits(many.slice_rows(3, 4), one));
  EXPECT_FALSE(same_bits(many.slice_rows(2, 3), one));
}

// More source tokens than are encoded at a time, one sentence having more alone where positions
// allow it.
TEST_P(DecodingStep, DoesNotDependOnTheOtherSentences) {
  const auto longest = static_cast<std::int32_t>(model_.longest_sequence());
  const std::int32_t most = longest > 0 ? longest : 140;
  const Ragged src = random_tokens({most, 0, most / 2, most, most / 2, most, most, 3, most, most},
                                   model_.config().src_vocab_size);
  ASSERT_GT(src.tokens(), 128);
  const auto together = model_.begin(src);
  Numbers parents, tokens;
  for (std::int32_t r = 0; r < src.sequences(); ++r) parents.push_back(r), tokens.push_back(r + 2);
  const Tensor states = together->step(parents, tokens);
  for (std::int64_t r = 0; r < src.sequences(); ++r) {
    const auto single = model_.begin(alone(src, static_cast<std::size_t>(r)));
    EXPECT_TRUE(same_bits(states.slice_rows(r, r + 1),
                          single->step(Numbers{0}, Numbers{static_cast<std::int32_t>(r + 2)})))
        << r;
  }
}

// Sources join and leave at any step.
TEST_P(DecodingStep, DoesNotDependOnWhenASourceJoins) {
  const Ragged src = random_tokens({5, 0, 4, 7}, model_.config().src_vocab_size);
  const auto state = model_.decoding();
  ASSERT_EQ(state->hypotheses(), 0);
  state->join(src.slice(0, 2));
  state->step(Numbers{0, 1}, Numbers{1, 1});
  state->join(src.slice(2, 3));
  ASSERT_EQ(state->hypotheses(), 3);
  state->step(Numbers{0, 2}, Numbers{5, 1});  // the second is gone
  state->join(src.slice(3, 4));
  const Tensor states = state->step(Numbers{2, 1, 0}, Numbers{1, 8, 9});
  const std::vector<Numbers> read{{1}, {1, 8}, {1, 5, 9}};
  const std::vector<std::size_t> source{3, 2, 0};
  for (std::size_t r = 0; r < 3; ++r) {
    const auto single = model_.begin(alone(src, source[r]));
    Tensor expected;
    for (const std::int32_t token : read[r]) expected = single->step(Numbers{0}, Numbers{token});
    const auto row = static_cast<std::int64_t>(r);
    EXPECT_TRUE(same_bits(states.slice_rows(row, row + 1), expected)) << "row " << r;
  }
}

TEST_P(DecodingStep, StaysAsItWasIfASourceCannotJoin) {
  const Ragged src = random_tokens({5}, model_.config().src_vocab_size);
  const auto state = model_.begin(src), fresh = model_.begin(src);
  expect_error<ShapeError>([&] { state->join(Ragged::one(Numbers{1, 99})); }, {"[embedding]"});
  ASSERT_EQ(state->hypotheses(), 1);
  EXPECT_TRUE(same_bits(state->step(Numbers{0}, Numbers{1}), fresh->step(Numbers{0}, Numbers{1})));
}

TEST_P(DecodingStep, RefusesParentsAndTokensThatDoNotExistAndStaysAsItWas) {
  const Ragged src = random_tokens({5, 4}, model_.config().src_vocab_size);
  const auto state = model_.begin(src);
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0, 2}, Numbers{1, 1});
      },
      {"[step]", "2 hypotheses", "got 2"});
  expect_error<ShapeError>([&] { state->step(Numbers{-1}, Numbers{1}); }, {"[step]", "got -1"});
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0, 1}, Numbers{1});
      },
      {"[step]", "2 parents", "1 tokens"});
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0, 1}, Numbers{1, 23});
      },
      {"[embedding]", "0..22"});
  EXPECT_EQ(state->hypotheses(), 2);
  const auto fresh = model_.begin(src);
  EXPECT_TRUE(same_bits(state->step(Numbers{0, 1}, Numbers{1, 2}),
                        fresh->step(Numbers{0, 1}, Numbers{1, 2})));
}

TEST(DecodingWithLearnedPositions, EndsWithAClearErrorPastTheLastOne) {
  TransformerConfig config = small_config();
  config.positions = PositionKind::learned;
  config.max_positions = 3;
  const Transformer model(config, 1);
  const auto state = model.begin(random_tokens({2}, 23));
  for (int t = 0; t < 3; ++t) state->step(Numbers{0}, Numbers{1});
  expect_error<DataError>([&] { state->step(Numbers{0}, Numbers{1}); },
                          {"4 tokens", "3 positions"});
}

}  // namespace
}  // namespace attend
