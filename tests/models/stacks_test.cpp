// The encoder and the decoder as stacks of layers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "models/small_transformer.h"
#include "ops/operands.h"
#include "tensor/all_finite.h"

namespace attend {
namespace {

class Stacks : public testing::TestWithParam<Variant> {
 protected:
  Variable hidden(Pass& pass) const {
    return model_.decode(tgt_, model_.encode(src_, pass), src_, pass);
  }

  Transformer model_{GetParam().config, 1};
  Ragged src_ = random_tokens({3, 5}, 23), tgt_ = random_tokens({4, 2}, 23, 2);
};

INSTANTIATE_TEST_SUITE_P(Of, Stacks, testing::ValuesIn(variants()),
                         [](const auto& suite) { return suite.param.name; });

void expect_normalized(const Tensor& x, NormKind kind, double scale = 1.0) {
  for (std::int64_t r = 0; r < x.rows(); ++r) {
    if (kind == NormKind::layer) {
      EXPECT_NEAR(backend()->sum(x.slice_rows(r, r + 1)), 0.0, 1e-4) << "row " << r;
    }
    EXPECT_NEAR(backend()->sum_of_squares(x.slice_rows(r, r + 1)) / static_cast<double>(x.cols()),
                scale * scale, 1e-2 * scale * scale)
        << "row " << r;
  }
}

std::vector<Variant> normalized_variants() {
  std::vector<Variant> all = variants();
  std::erase_if(all, [](const Variant& v) { return v.config.norm_output == OutputNorm::off; });
  return all;
}

using NormalizedStacks = Stacks;
INSTANTIATE_TEST_SUITE_P(Of, NormalizedStacks, testing::ValuesIn(normalized_variants()),
                         [](const auto& suite) { return suite.param.name; });

// Post-norm: the last sublayer's; pre-norm: one of its own. Gains begin as ones, shifts as zeros.
TEST_P(NormalizedStacks, EndWithANormalization) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const NormKind kind = GetParam().config.norm.kind;
  expect_normalized(model_.encode(src_, pass).value(), kind);
  expect_normalized(hidden(pass).value(), kind, GetParam().config.output_scale);
}

TEST_P(Stacks, RecordTheAttentionOfEveryLayerInOrder) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<AttentionRecord> records;
  pass.attention = &records;
  hidden(pass);
  std::vector<std::string> modules;
  for (const AttentionRecord& record : records) modules.push_back(record.module);
  const bool is_recurrent = GetParam().config.decoder_autoreg == DecoderAutoreg::ssru;
  std::vector<std::string> expected{"encoder.layers.0.self_attn", "encoder.layers.1.self_attn"};
  for (const char* layer : {"decoder.layers.0.", "decoder.layers.1."}) {
    if (!is_recurrent) expected.push_back(layer + std::string("self_attn"));
    expected.push_back(layer + std::string("cross_attn"));
  }
  EXPECT_EQ(modules, expected);
  std::int64_t heads = model_.config().n_heads;
  const auto expect_rows = [&](const Tensor& weights, std::int64_t first, std::int64_t rows,
                               std::int64_t keys) {
    for (std::int64_t r = 0; r < rows; ++r)
      EXPECT_NEAR(backend()->sum(weights.slice_rows(first + r * keys, first + (r + 1) * keys)), 1.0,
                  1e-5);
  };
  ASSERT_EQ(records[0].weights.size(), heads * (3 * 3 + 5 * 5));
  expect_rows(records[0].weights, 0, heads * 3, 3);
  expect_rows(records[0].weights, heads * 9, heads * 5, 5);
  heads = model_.config().decoder().n_heads;
  const Tensor& crossed = records[is_recurrent ? 2 : 3].weights;
  ASSERT_EQ(crossed.size(), heads * (4 * 3 + 2 * 5));
  expect_rows(crossed, 0, heads * 4, 3);
  expect_rows(crossed, heads * 12, heads * 2, 5);
  if (is_recurrent) return;
  ASSERT_EQ(records[2].weights.size(), heads * (4 * 4 + 2 * 2));
  EXPECT_EQ(records[2].weights.data()[1], 0.0f) << "the first target sees itself alone";
}

// The last one is the output, after its normalization.
TEST_P(Stacks, RecordWhatEntersAndLeavesEveryEncoderLayer) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<Tensor> states;
  pass.hidden = &states;
  const Tensor memory = model_.encode(src_, pass).value();
  ASSERT_EQ(states.size(), static_cast<std::size_t>(model_.encoder_layers()) + 1);
  EXPECT_TRUE(same_bits(states.back(), memory));
  for (std::size_t i = 1; i < states.size(); ++i)
    EXPECT_FALSE(same_bits(states[i - 1], states[i])) << "layer " << i - 1;
}

TEST_P(Stacks, SendAGradientToEveryParameter) {
  Pass pass = Pass::training(1, 1);
  backward(model_.loss(src_, tgt_, tgt_.ids, {}, pass).loss);
  for (const auto& entry : model_.parameters().entries()) {
    const Tensor gradient =
        model_.parameters().gradients().slice_rows(entry.offset, entry.offset + entry.shape.size());
    EXPECT_TRUE(all_finite(gradient)) << entry.name;
    const bool shift_of_scores = entry.name.ends_with(
        "k_proj.bias");  // adds the same to all scores of a query: softmax does not feel it
    EXPECT_GT(backend()->sum_of_squares(gradient), shift_of_scores ? -1.0 : 0.0) << entry.name;
  }
}

TEST_P(Stacks, DropInTrainingOnly) {
  const NoGradient guard;
  const auto run = [&](Pass pass) { return hidden(pass).value(); };
  EXPECT_TRUE(same_bits(run(Pass::inference()), run(Pass::inference())));
  EXPECT_TRUE(same_bits(run(Pass::training(1, 5)), run(Pass::training(1, 5))));
  EXPECT_FALSE(same_bits(run(Pass::training(1, 5)), run(Pass::training(1, 6))));
  EXPECT_FALSE(same_bits(run(Pass::training(1, 5)), run(Pass::inference())));
}

TEST(Activation, IsTheOneConfigured) {
  const NoGradient guard;
  TransformerConfig config = small_config();
  const Transformer relu(config, 1);
  config.activation = Activation::gelu;
  const Transformer gelu(config, 1);
  Pass pass = Pass::inference();
  const Ragged src = random_tokens({4}, 23);
  EXPECT_TRUE(same_bits(relu.parameters().values(), gelu.parameters().values()));
  EXPECT_FALSE(same_bits(relu.encode(src, pass).value(), gelu.encode(src, pass).value()));
}

TEST(PositionalEncoding, MakesTheOrderOfTokensMatter) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const std::vector<std::int32_t> offsets{0, 3};
  const Ragged there = Ragged::copy(std::vector<std::int32_t>{1, 2, 3}, offsets),
               back = Ragged::copy(std::vector<std::int32_t>{3, 2, 1}, offsets);
  for (const PositionKind kind :
       {PositionKind::sinusoidal, PositionKind::learned, PositionKind::none}) {
    TransformerConfig config = small_config();
    config.positions = kind;
    const Transformer model(config, 1);
    const Tensor a = model.encode(there, pass).value(), b = model.encode(back, pass).value();
    const double difference =
        largest_difference(a.slice_rows(0, 1), b.slice_rows(2, 3));  // of the token 1
    if (kind == PositionKind::none) {
      EXPECT_LE(difference, 1e-5) << "a bag of words";
    } else {
      EXPECT_GT(difference, 1e-3);
    }
  }
}

// Each of the three rates reaches modules of its own.
TEST(Dropout, OfResidualsAttentionAndActivationsIsChosenApart) {
  const auto hidden_with = [](float residual, float attention, float activation) {
    TransformerConfig config = small_config();
    config.dropout = residual;
    config.attention_dropout = attention;
    config.activation_dropout = activation;
    const Transformer model(config, 1);
    const Ragged src = random_tokens({3, 5}, 23), tgt = random_tokens({4, 2}, 23, 2);
    const NoGradient guard;
    Pass pass = Pass::training(1, 1);
    return model.decode(tgt, model.encode(src, pass), src, pass).value().to_vector();
  };
  const std::vector<std::vector<float>> results{hidden_with(0, 0, 0), hidden_with(0.5f, 0, 0),
                                                hidden_with(0, 0.5f, 0), hidden_with(0, 0, 0.5f)};
  for (std::size_t a = 0; a < results.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) EXPECT_NE(results[a], results[b]) << a << " and " << b;
  }
}

}  // namespace
}  // namespace attend
