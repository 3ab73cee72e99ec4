#include "attend/models/language_transformer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "backend/scoped_backend.h"
#include "models/small_transformer.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Numbers = std::vector<std::int32_t>;

LanguageTransformerConfig small_language_config() {
  LanguageTransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_layers = 2;
  config.max_positions = 16;
  config.vocab_size = 23;
  return config;
}

struct LanguageVariant {
  std::string name;
  LanguageTransformerConfig config;
};

std::vector<LanguageVariant> language_variants() {
  std::vector<LanguageVariant> all(17, {"PreNorm", small_language_config()});
  all[1].name = "PostNormUntied";
  all[1].config.norm_first = false;
  all[1].config.tied = false;
  all[2].name = "LearnedPositionsGelu";
  all[2].config.positions = PositionKind::learned;
  all[2].config.activation = Activation::gelu;
  all[3].name = "NoPositionsNarrowHeads";
  all[3].config.positions = PositionKind::none;
  all[3].config.d_key = all[3].config.d_value = 5;
  all[4].name = "TwoPreviousTokens";
  all[4].config.previous_tokens = 2;
  all[5].name = "HardChoiceLearnedPositions";
  all[5].config.attention.choice = AttentionChoice::hard;
  all[5].config.positions = PositionKind::learned;
  all[6].name = "AdditiveScores";
  all[6].config.attention.scores = AttentionScores::additive;
  all[7].name = "AsLlama";
  all[7].config.positions = PositionKind::rotary;
  all[7].config.n_key_heads = 2;
  all[7].config.gated_ffn = true;
  all[7].config.ffn_bias = false;
  all[7].config.activation = Activation::swish;
  all[7].config.attention_biases = AttentionBiases::qkv;
  all[7].config.norm.kind = NormKind::rms;
  all[8].name = "SharedKeysInParts";
  all[8].config.n_key_heads = 1;
  all[8].config.attention.choice = AttentionChoice::straight_through;
  all[9].name = "SlopesByDistance";
  all[9].config.positions = PositionKind::alibi;
  all[9].config.n_key_heads = 2;
  all[10].name = "BiasesByDistance";
  all[10].config.positions = PositionKind::relative;
  all[10].config.relative = {6, 5};
  all[11].name = "LocalAndGlobalCapped";
  all[11].config.positions = PositionKind::rotary;
  all[11].config.n_key_heads = 2;
  all[11].config.attention_window = 3;
  all[11].config.attention_layers = "local,global";
  all[11].config.local_rotary_theta = 50.0;
  all[11].config.attention_cap = 1.0f;
  all[11].config.norm_branch = true;
  all[11].config.logit_cap = 0.8f;
  all[12].name = "LocalInParts";
  all[12].config.attention_window = 2;
  all[12].config.attention.choice = AttentionChoice::hard;
  all[13].name = "ParallelWithOneNorm";
  all[13].config.sublayers = Sublayers::parallel_shared;
  all[13].config.positions = PositionKind::rotary;
  all[13].config.rotary.width = 4;
  all[13].config.norm.bias = false;
  all[13].config.output_bias = true;
  all[13].config.output_scale = 0.5f;
  all[13].config.qk_norm = true;
  all[14].name = "AsOlmo2";
  all[14].config.norm_first = false;
  all[14].config.norm_branch = all[14].config.qk_norm = true;
  all[14].config.qk_norm_span = QkNormSpan::all;
  all[14].config.norm.kind = NormKind::rms;
  all[14].config.n_key_heads = 2;
  all[14].config.residual_scale = 0.5f;
  all[16].name = "AsNarrowOpt";
  all[16].config.norm_first = false;
  all[16].config.positions = PositionKind::learned;
  all[16].config.embedding_width = 8;
  all[16].config.previous_tokens = 1;
  all[15].name = "LongRope";
  all[15].config.positions = PositionKind::rotary;
  all[15].config.rotary.scaling = RotaryScaling::longrope;
  all[15].config.rotary.short_factors = "1,1.5,2,3";
  all[15].config.rotary.long_factors = "2,3,4,5";
  all[15].config.rotary.factor = 4;
  all[15].config.rotary.original_length = 16;
  all[16].name = "MixtureOfExperts";
  all[16].config.experts = 4;
  all[16].config.expert_width = 24;
  all[16].config.router_norm = false;
  return all;
}

// Its positions, cached ones among them, change when a text gets longer.
TEST(LanguageTransformerWithLongRope, WritesNoFurtherThanItsPositionsAreAlike) {
  LanguageTransformerConfig config = small_language_config();
  config.positions = PositionKind::rotary;
  config.rotary.scaling = RotaryScaling::longrope;
  config.rotary.long_factors = "2,3,4,5";
  config.rotary.original_length = 3;
  const LanguageTransformer model(config, 1);
  const auto decoding = model.begin(1);
  decoding->read(Ragged::one(Numbers{1, 2, 3}));
  expect_error<DataError>([&] { decoding->read(Ragged::one(Numbers{4})); },
                          {"3 tokens", "rotary_original_length"});
}

struct LanguageRun {
  LanguageVariant variant;
  Backend& (*backend)();
};

class LanguageStep : public testing::TestWithParam<LanguageRun> {
 protected:
  LanguageStep() : backend_(GetParam().backend()), model_(GetParam().variant.config, 1) {}

  Tensor last_logits(const Numbers& prefix) const {
    const NoGradient guard;
    Pass pass = Pass::inference();
    const Tensor logits =
        model_
            .project(model_.hidden(
                Ragged::copy(prefix, Numbers{0, static_cast<std::int32_t>(prefix.size())}), pass))
            .value();
    return logits.slice_rows(logits.rows() - 1, logits.rows());
  }

  ScopedBackend backend_;
  LanguageTransformer model_;
};

std::vector<LanguageRun> language_runs() {
  std::vector<LanguageRun> all;
  for (const LanguageVariant& variant : language_variants()) {
    for (const auto backend : {&reference_backend, &fast_backend})
      all.push_back({variant, backend});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Of, LanguageStep, testing::ValuesIn(language_runs()),
                         [](const auto& suite) {
                           return suite.param.variant.name +
                                  (suite.param.backend == &reference_backend ? "_Reference"
                                                                             : "_Fast");
                         });

// Bit for bit in the reference; the fast attention of a single query adds its products in another
// order.
TEST_P(LanguageStep, GivesTheLogitsOfAPassOverTheWholePrefix) {
  const auto state = model_.begin(3);
  std::vector<Numbers> prefixes(3);
  Random random({4, 4});
  for (int t = 0; t < 12; ++t) {
    Numbers tokens;
    for (Numbers& prefix : prefixes) {
      tokens.push_back(static_cast<std::int32_t>(random.below(23)));
      prefix.push_back(tokens.back());
    }
    const Tensor logits = model_.project(Variable(state->step(Numbers{0, 1, 2}, tokens))).value();
    for (std::int64_t r = 0; r < 3; ++r) {
      const Tensor expected = last_logits(prefixes[static_cast<std::size_t>(r)]),
                   found = logits.slice_rows(r, r + 1);
      EXPECT_LE(largest_difference(found, expected), 5e-6) << "hypothesis " << r << ", step " << t;
      EXPECT_TRUE(GetParam().backend == &fast_backend || same_bits(found, expected))
          << "hypothesis " << r << ", step " << t;
    }
  }
}

TEST_P(LanguageStep, ContinuesWhicheverHypothesesAreAskedFor) {
  const auto state = model_.begin(2), single = model_.begin(1);
  state->step(Numbers{0, 1}, Numbers{5, 6});
  single->step(Numbers{0}, Numbers{6});
  const Tensor many = state->step(Numbers{1, 0, 1}, Numbers{7, 7, 7}),
               one = single->step(Numbers{0}, Numbers{7});
  ASSERT_EQ(state->hypotheses(), 3);
  EXPECT_TRUE(same_bits(many.slice_rows(0, 1), one));
  EXPECT_TRUE(same_bits(many.slice_rows(2, 3), one));
  EXPECT_FALSE(same_bits(many.slice_rows(1, 2), one));
}

// Bit for bit: a prompt may be read at once or token by token.
TEST_P(LanguageStep, ReadsManyTokensAsItReadsThemOneByOne) {
  const auto at_once = model_.begin(2), one_by_one = model_.begin(2);
  const auto steps = [&](const Numbers& a, const Numbers& b) {
    std::vector<Tensor> hidden;
    for (std::size_t t = 0; t < a.size(); ++t)
      hidden.push_back(one_by_one->step(Numbers{0, 1}, Numbers{a[t], b[t]}));
    return hidden;
  };
  const Numbers first{3, 1, 4, 1, 5}, second{9, 2, 6, 5, 3}, third{5, 8, 9}, fourth{7, 9, 3};
  for (const auto& [a, b] : {std::pair(first, second), std::pair(third, fourth)}) {
    RaggedBuilder tokens;
    tokens.add(a);
    tokens.add(b);
    const Tensor all = at_once->read(tokens.build());
    const auto length = static_cast<std::int64_t>(a.size());
    const std::vector<Tensor> expected = steps(a, b);
    ASSERT_EQ(all.rows(), 2 * length);
    for (std::int64_t t = 0; t < length; ++t) {
      const Tensor& step = expected[static_cast<std::size_t>(t)];
      EXPECT_TRUE(same_bits(all.slice_rows(t, t + 1), step.slice_rows(0, 1))) << "token " << t;
      EXPECT_TRUE(same_bits(all.slice_rows(length + t, length + t + 1), step.slice_rows(1, 2)))
          << "token " << t;
    }
  }
  EXPECT_TRUE(same_bits(at_once->step(Numbers{1, 0}, Numbers{2, 2}),
                        one_by_one->step(Numbers{1, 0}, Numbers{2, 2})));
}

TEST_P(LanguageStep, ReadsAnotherNumberOfTokensForEachHypothesis) {
  const auto together = model_.begin(2), alone = model_.begin(1);
  const Tensor all = together->read(Ragged::copy(Numbers{1, 2, 3, 4}, Numbers{0, 1, 4})),
               second = alone->read(Ragged::one(Numbers{2, 3, 4}));
  EXPECT_TRUE(same_bits(all.slice_rows(1, 4), second));
  expect_error<ShapeError>([&] { together->read(Ragged::one(Numbers{1})); },
                           {"[read]", "2 hypotheses", "got 1"});
}

TEST_P(LanguageStep, RefusesWhatDoesNotExistAndStaysAsItWas) {
  const auto state = model_.begin(2);
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0, 2}, Numbers{1, 1});
      },
      {"[step]", "2 hypotheses", "got 2"});
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0}, Numbers{1, 1});
      },
      {"[step]", "1 parents", "2 tokens"});
  expect_error<ShapeError>(
      [&] {
        state->step(Numbers{0, 1}, Numbers{1, 23});
      },
      {"[embedding]", "0..22"});
  const auto fresh = model_.begin(2);
  EXPECT_TRUE(same_bits(state->step(Numbers{0, 1}, Numbers{1, 2}),
                        fresh->step(Numbers{0, 1}, Numbers{1, 2})));
}

// Bit for bit: what comes later in a text changes nothing before it.
TEST_P(LanguageStep, SeesNothingOfTheFuture) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Numbers offsets{0, 6};
  const Tensor a = model_.hidden(Ragged::copy(Numbers{1, 2, 3, 4, 5, 6}, offsets), pass).value();
  const Tensor b = model_.hidden(Ragged::copy(Numbers{1, 2, 3, 9, 9, 9}, offsets), pass).value();
  EXPECT_TRUE(same_bits(a.slice_rows(0, 3), b.slice_rows(0, 3)));
  EXPECT_FALSE(same_bits(a.slice_rows(3, 4), b.slice_rows(3, 4)));
}

TEST_P(LanguageStep, GivesEveryTextTheBitsItHasAlone) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Ragged texts = random_tokens({3, 1, 9, 2, 16}, 23);
  const Tensor together = model_.hidden(texts, pass).value();
  for (std::size_t b = 0; b < 5; ++b)
    EXPECT_TRUE(
        same_bits(model_.hidden(alone(texts, b), pass).value(), rows_of(together, texts, b)))
        << "text " << b;
}

TEST(LanguageTransformer, DividesBothOfItsLossesByTheNormalizer) {
  const LanguageTransformer model(small_language_config(), 1);
  const Ragged text = random_tokens({5, 9}, 23, 1);
  const Ids targets = random_tokens({5, 9}, 23, 2).ids;
  const ClassSample sample{ids({1, 4, 9, 16}), std::vector<float>(4, 1.5f)};
  for (const bool sampled : {false, true}) {
    const auto loss = [&](double normalizer) {
      Pass pass = Pass::inference();
      const CrossEntropyOptions options{0.0f, normalizer};
      const CrossEntropy result = sampled ? model.sampled_loss(text, targets, sample, options, pass)
                                          : model.loss(text, targets, options, pass);
      EXPECT_NEAR(result.loss.value().item(), result.loss_sum / normalizer,
                  1e-5 * result.loss_sum / normalizer)
          << "sampled: " << sampled;
      return result.loss_sum;
    };
    EXPECT_EQ(loss(10.0), loss(40.0));
  }
}

TEST(LanguageTransformer, EndsWithAClearErrorPastItsLearnedPositions) {
  LanguageTransformerConfig config = small_language_config();
  config.positions = PositionKind::learned;
  config.max_positions = 3;
  const LanguageTransformer model(config, 1);
  const auto state = model.begin(1);
  for (int t = 0; t < 3; ++t) state->step(Numbers{0}, Numbers{1});
  expect_error<DataError>([&] { state->step(Numbers{0}, Numbers{1}); },
                          {"4 tokens", "3 positions"});
}

TEST(LanguageTransformer, NamesTheOptionThatIsWrong) {
  const auto refused = [](auto change, const char* name) {
    LanguageTransformerConfig config = small_language_config();
    change(config);
    expect_error<ConfigError>([&] { LanguageTransformer(config, 1); }, {name});
  };
  refused([](auto& c) { c.n_layers = 0; }, "n_layers");
  refused([](auto& c) { c.n_heads = 5; }, "n_heads");
  refused([](auto& c) { c.dropout = 1.0f; }, "dropout");
  refused([](auto& c) { c.previous_tokens = -1; }, "previous_tokens");
  refused([](auto& c) { c.output_dropout = -0.1f; }, "output_dropout");
}

TEST(LanguageTransformer, OffersTheOptionsOfItsStackOnce) {
  LanguageTransformerConfig config;
  std::vector<std::string> names;
  for (const OptionField& field : option_fields(config)) names.push_back(field.name);
  EXPECT_NE(std::find(names.begin(), names.end(), "n-layers"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "norm-first"), names.end());
  for (const char* const other : {"n-encoder-layers", "n-decoder-layers", "tie-embeddings"})
    EXPECT_EQ(std::find(names.begin(), names.end(), other), names.end()) << other;
}

}  // namespace
}  // namespace attend
