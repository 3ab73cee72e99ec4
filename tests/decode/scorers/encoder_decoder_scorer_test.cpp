#include "attend/decode/scorers/encoder_decoder_scorer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"
#include "attend/models/transformer.h"

namespace attend {
namespace {

constexpr int kVocabulary = 11;
constexpr std::int32_t kBos = 2;
const std::vector<std::int32_t> kBosAlone{kBos};

TransformerConfig small_config() {
  TransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_encoder_layers = config.n_decoder_layers = 2;
  config.src_vocab_size = config.tgt_vocab_size = kVocabulary;
  return config;
}

// Three sentences of 3, 1 and 5 tokens.
Ragged sources() {
  const std::vector<std::int32_t> ids{4, 5, 3, 3, 6, 7, 8, 9, 3}, offsets{0, 3, 4, 9};
  return Ragged::copy(ids, offsets);
}

// The log-probabilities of what comes after `prefix`, which begins with bos, from one pass over the
// whole of it.
std::vector<float> log_probabilities_after(const Transformer& model, std::int32_t sentence,
                                           const std::vector<std::int32_t>& prefix) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Ragged all = sources();
  const std::vector<std::int32_t> ids(
      all.ids->begin() + (*all.offsets)[static_cast<std::size_t>(sentence)],
      all.ids->begin() + (*all.offsets)[static_cast<std::size_t>(sentence) + 1]);
  const std::vector<std::int32_t> ends{0, static_cast<std::int32_t>(ids.size())};
  const std::vector<std::int32_t> prefix_ends{0, static_cast<std::int32_t>(prefix.size())};
  const Ragged src = Ragged::copy(ids, ends);
  const Variable hidden =
      model.decode(Ragged::copy(prefix, prefix_ends), model.encode(src, pass), src, pass);
  const Tensor logits = model.project(hidden).value();
  backend()->log_softmax(logits, logits);
  return logits.slice_rows(logits.rows() - 1, logits.rows()).clone().to_vector();
}

struct Hypotheses {
  std::vector<std::int32_t> sentence;
  std::vector<std::vector<std::int32_t>> prefix;
};

class EncoderDecoderScorerTest : public testing::TestWithParam<bool> {
 protected:
  EncoderDecoderScorerTest() {
    TransformerConfig config = small_config();
    config.norm_first = GetParam();
    model_ = std::make_unique<Transformer>(config, 3);
    steps_ = std::make_unique<EncoderDecoderScorer>(*model_, sources(), kBosAlone);
  }

  // Steps, and compares what may follow in every row with a pass over its whole prefix.
  void step(const std::vector<std::int32_t>& parents, const std::vector<std::int32_t>& tokens) {
    Hypotheses next;
    for (std::size_t r = 0; r < parents.size(); ++r) {
      const auto parent = static_cast<std::size_t>(parents[r]);
      next.sentence.push_back(so_far_.sentence[parent]);
      next.prefix.push_back(so_far_.prefix[parent]);
      next.prefix.back().push_back(tokens[r]);
    }
    so_far_ = std::move(next);
    steps_->step(parents, tokens);
    const Tensor found = steps_->logits(0, std::ssize(parents));
    const BestTokens best = steps_->best(std::vector<LogitChange>(parents.size()), kVocabulary + 1);
    backend()->log_softmax(found, found);
    for (std::int64_t r = 0; r < found.rows(); ++r) {
      for (int i = 0; i < kVocabulary; ++i)
        EXPECT_NEAR(best.log_probabilities.row(r)[i],
                    found.row(r)[best.columns.row<std::int32_t>(r)[i]], 1e-6);
      EXPECT_TRUE(std::is_sorted(best.log_probabilities.row(r),
                                 best.log_probabilities.row(r) + kVocabulary, std::greater<>()));
      EXPECT_EQ(best.log_probabilities.row(r)[kVocabulary], -INFINITY)
          << "there are no more tokens";
    }
    ASSERT_EQ(found.shape(), (Shape{static_cast<std::int64_t>(parents.size()), kVocabulary}));
    for (std::size_t r = 0; r < parents.size(); ++r) {
      const std::vector<float> expected =
          log_probabilities_after(*model_, so_far_.sentence[r], so_far_.prefix[r]);
      for (std::size_t v = 0; v < expected.size(); ++v)
        EXPECT_NEAR(found.row(static_cast<std::int64_t>(r))[v], expected[v], 1e-5)
            << "row " << r << ", token " << v;
    }
  }

  std::unique_ptr<Transformer> model_;
  std::unique_ptr<EncoderDecoderScorer> steps_;
  Hypotheses so_far_{{0, 1, 2}, {{}, {}, {}}};
};

TEST_P(EncoderDecoderScorerTest, GiveWhatMayFollowThePrefix) {
  ASSERT_EQ(steps_->arrivals().size(), 3u);
  step({0, 1, 2}, {kBos, kBos, kBos});
  step({0, 1, 2}, {5, 6, 7});
  step({0, 1, 2}, {8, 8, 8});
}

TEST_P(EncoderDecoderScorerTest, FollowHypothesesThatBranchSwapAndEnd) {
  step({0, 1, 2}, {kBos, kBos, kBos});
  step({0, 0, 1, 1, 2}, {4, 5, 6, 7, 8});         // branch
  step({1, 0, 2, 2, 4, 4}, {9, 10, 4, 5, 6, 7});  // swap; the second of sentence 1 is given up
  step({4, 5}, {8, 9});                           // sentences 0 and 1 are done
  step({1, 0, 0}, {4, 5, 6});
}

INSTANTIATE_TEST_SUITE_P(NormFirst, EncoderDecoderScorerTest, testing::Bool());

TEST(EncoderDecoderScorer, FindTwiceTheSourceAndFiftySensible) {
  const Transformer model(small_config(), 1);
  const EncoderDecoderScorer steps(model, sources(), kBosAlone);
  EXPECT_EQ(steps.arrivals()[0].max_length, 56);
  EXPECT_EQ(steps.arrivals()[1].max_length, 52);
}

TEST(EncoderDecoderScorer, ReadAllThatTheDecoderBeginsWithBeforeTheFirstToken) {
  const Transformer model(small_config(), 5);
  const std::vector<std::int32_t> prefix{kBos, 9, 4};
  EncoderDecoderScorer steps(model, sources(), prefix);
  ASSERT_EQ(steps.arrivals()[0].prefix, prefix);
  for (const std::int32_t token : prefix)
    steps.step(std::vector<std::int32_t>{0, 1, 2}, std::vector<std::int32_t>(3, token));
  const Tensor found = steps.logits(0, 3);
  backend()->log_softmax(found, found);
  for (std::int32_t sentence = 0; sentence < 3; ++sentence) {
    const std::vector<float> expected = log_probabilities_after(model, sentence, {kBos, 9, 4});
    for (std::size_t v = 0; v < expected.size(); ++v)
      EXPECT_NEAR(found.row(sentence)[v], expected[v], 1e-5);
  }
}

TEST(EncoderDecoderScorer, CountWhatTheDecoderBeginsWithAmongThePositions) {
  TransformerConfig config = small_config();
  config.positions = PositionKind::learned;
  config.max_positions = 55;
  const Transformer model(config, 1);
  const EncoderDecoderScorer steps(model, sources(), std::vector<std::int32_t>{kBos, 4, 5});
  EXPECT_EQ(steps.arrivals()[0].max_length, 53);
}

TEST(EncoderDecoderScorer, CountForcedTokensAsOutput) {
  TransformerConfig config = small_config();
  const Transformer free(config, 1);
  config.positions = PositionKind::learned;
  config.max_positions = 55;
  const Transformer limited(config, 1);
  const std::vector<DecoderPrefix> prefixes(3, {{kBos, 4, 5, 6}, 2});
  for (const auto& [model, longest] : {std::pair{&free, 58}, {&limited, 54}}) {
    EncoderDecoderScorer steps(*model);
    steps.join({sources(), prefixes});
    EXPECT_EQ(steps.arrivals()[0].max_length, longest);
    EXPECT_EQ(steps.arrivals()[0].output().ids, (std::vector<std::int32_t>{5, 6}));
  }
}

TEST(EncoderDecoderScorer, KeepToThePositionsTheModelHasLearned) {
  TransformerConfig config = small_config();
  config.positions = PositionKind::learned;
  config.max_positions = 55;
  const Transformer model(config, 1);
  const EncoderDecoderScorer steps(model, sources(), kBosAlone);
  EXPECT_EQ(steps.arrivals()[0].max_length, 55);
  EXPECT_EQ(steps.arrivals()[1].max_length, 52);
}

}  // namespace
}  // namespace attend
