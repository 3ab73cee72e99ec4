// What a Transformer consists of: how many parameters, under which names, which of them are one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "attend/error.h"
#include "models/small_transformer.h"
#include "ops/operands.h"

namespace attend {
namespace {

// By the formulas of the paper: projections with biases, two maps, gains and shifts. Of a stack of
// `layers`, and its input; `memory` is the width of what it attends to, 0: nothing.
std::int64_t expected_of_stack(const StackConfig& c, int layers, std::int64_t memory,
                               bool is_recurrent) {
  const std::int64_t d = c.d_model,
                     keys = c.n_heads * (c.d_key > 0 ? c.d_key : c.d_model / c.n_heads),
                     values = c.n_heads * (c.d_value > 0 ? c.d_value : c.d_model / c.n_heads);
  const std::int64_t sharing = c.n_key_heads > 0 ? c.n_heads / c.n_key_heads : 1;
  const std::int64_t biases = keys + (keys + values) / sharing + d;
  const bool has_shifts = c.norm.kind == NormKind::layer && c.norm.bias;
  const std::int64_t head = c.d_key > 0 ? c.d_key : c.d_model / c.n_heads,
                     normalized =
                         c.qk_norm_span == QkNormSpan::head ? 2 * head : keys + keys / sharing,
                     norms_of_heads = (has_shifts ? 2 : 1) * normalized;
  const auto attention_to = [&](std::int64_t width) {
    return d * keys + (width * keys + width * values) / sharing + values * d +
           (c.attention_biases == AttentionBiases::all ? biases : 0) +
           (c.qk_norm ? norms_of_heads : 0);
  };
  const auto feed_forward_of = [&](std::int64_t width) {
    const int maps = c.gated_ffn ? 2 : 1;  // into the hidden layer
    return (maps + 1) * d * width + (c.ffn_bias ? maps * width + d : 0);
  };
  const std::int64_t feed_forward = feed_forward_of(c.d_ff);
  // What a layer with experts has more: them and a router instead of one network, and the expert
  // that all tokens share with its gate.
  const std::int64_t shared_expert =
      c.shared_expert_width > 0 ? feed_forward_of(c.shared_expert_width) + d : 0;
  const std::int64_t of_experts =
      c.experts * (feed_forward_of(c.expert_width > 0 ? c.expert_width : c.d_ff) + d) +
      shared_expert - feed_forward;
  const auto kinds = c.kinds_of_networks(layers);
  const std::int64_t with_experts =
      std::count(kinds.begin(), kinds.end(), FeedForwardKind::experts);
  const std::int64_t norm = has_shifts ? 2 * d : d;
  const std::int64_t norms = c.norm_first && c.norm_branch ? 2 * norm : norm;  // of a sublayer
  const bool shared = c.sublayers == Sublayers::parallel_shared;
  const std::int64_t autoreg = is_recurrent ? 2 * d * d + d : attention_to(d);
  const std::int64_t layer = autoreg + (memory > 0 ? attention_to(memory) : 0) + feed_forward +
                             (shared       ? 1
                              : memory > 0 ? 3
                                           : 2) *
                                 norms;
  const std::int64_t tables = !c.has_relative_biases() || is_recurrent ? 0
                              : c.relative.shared                      ? 1
                                                                       : layers;
  return (c.layer_groups > 0 ? c.layer_groups : layers) * layer + with_experts * of_experts +
         tables * c.relative.buckets * c.n_heads +
         (c.positions == PositionKind::learned ? c.max_positions * d : 0) +
         (c.normalizes_output() ? norm : 0) + (c.norm_embedding ? norm : 0);
}

std::int64_t expected_parameters(const TransformerConfig& c) {
  const StackConfig decoder = c.decoder();
  std::int64_t tables = std::int64_t{c.tgt_vocab_size} * decoder.d_model;
  if (c.tie_embeddings != TiedEmbeddings::all) tables += std::int64_t{c.src_vocab_size} * c.d_model;
  if (c.tie_embeddings == TiedEmbeddings::none)
    tables += std::int64_t{c.tgt_vocab_size} * decoder.d_model;
  return tables + expected_of_stack(c, c.n_encoder_layers, 0, false) +
         expected_of_stack(decoder, c.n_decoder_layers, c.d_model,
                           c.decoder_autoreg == DecoderAutoreg::ssru) +
         (c.output_bias ? c.tgt_vocab_size : 0);
}

TEST(TransformerParameters, AreAsManyAsTheFormulaSays) {
  for (const Variant& variant : variants())
    EXPECT_EQ(Transformer(variant.config, 1).parameters().size(),
              expected_parameters(variant.config))
        << variant.name;
}

TEST(TransformerParameters, OfTheTinyTranslatorAreTheKnownNumber) {
  TransformerConfig tiny;
  tiny.d_model = 128;
  tiny.n_heads = 4;
  tiny.d_ff = 256;
  tiny.n_encoder_layers = tiny.n_decoder_layers = 4;
  tiny.src_vocab_size = tiny.tgt_vocab_size = 10000;
  EXPECT_EQ(Transformer(tiny).parameters().size(), 2605056);
}

std::set<std::string> names(const TransformerConfig& config) {
  std::set<std::string> result;
  const Transformer model(config, 1);
  for (const auto& entry : model.parameters().entries()) result.insert(entry.name);
  return result;
}

TEST(TransformerParameters, AreNamedAfterTheirModules) {
  const std::set<std::string> tied = names(small_config());
  for (const char* name :
       {"embedding.weight", "encoder.layers.0.self_attn.q_proj.weight",
        "encoder.layers.1.feed_forward.linear2.bias", "encoder.layers.1.norm2.weight",
        "decoder.layers.0.cross_attn.out_proj.bias", "decoder.layers.1.norm3.bias"})
    EXPECT_TRUE(tied.count(name)) << name;
  EXPECT_FALSE(tied.count("output_proj.weight"));
  EXPECT_FALSE(tied.count("encoder.norm.weight")) << "post-norm ends with a normalization already";
  const std::set<std::string> untied = names(variants()[4].config),
                              pre_norm = names(variants()[1].config);
  for (const char* name : {"src_embedding.weight", "tgt_embedding.weight", "output_proj.weight"})
    EXPECT_TRUE(untied.count(name)) << name;
  for (const char* name : {"encoder.norm.weight", "decoder.norm.bias"})
    EXPECT_TRUE(pre_norm.count(name)) << name;
}

TEST(TransformerParameters, AreAFunctionOfTheSeed) {
  const Transformer a(small_config(), 1), same(small_config(), 1), other(small_config(), 2);
  EXPECT_TRUE(same_bits(a.parameters().values(), same.parameters().values()));
  EXPECT_FALSE(same_bits(a.parameters().values(), other.parameters().values()));
}

TEST(TransformerParameters, ForInferenceHaveNoGradients) {
  const Transformer model(small_config());
  EXPECT_FALSE(model.parameters().gradients().defined());
  EXPECT_EQ(model.parameters().size(), Transformer(small_config(), 1).parameters().size());
}

TEST(TransformerParameters, BeginWithEmbeddingsOfUnitVarianceAfterScaling) {
  TransformerConfig config = small_config();
  config.src_vocab_size = config.tgt_vocab_size = 2000;
  const Transformer model(config, 1);
  const Tensor table = model.parameters().value(model.parameters().entries()[0]);
  ASSERT_EQ(table.shape(), (Shape{2000, 32}));
  EXPECT_NEAR(backend()->sum_of_squares(table) / 2000.0, 1.0, 0.02)
      << "each row: 32 numbers of variance 1/32";
}

// One table three times: looked up for source and target, and as the output's weight. Its gradient
// is the sum of the three.
TEST(TransformerParameters, ThatAreTiedShareMemoryAndGradient) {
  const Ragged src = random_tokens({4, 3}, 23), tgt = random_tokens({3, 5}, 23, 2);
  TransformerConfig config = small_config();
  Transformer tied(config, 1);
  config.tie_embeddings = TiedEmbeddings::none;
  Transformer untied(config, 1);
  const auto value = [](const Transformer& model, const std::string& name) {
    for (const auto& entry : model.parameters().entries()) {
      if (entry.name == name) return model.parameters().value(entry);
    }
    throw Error("no parameter " + name);
  };
  for (const auto& entry : untied.parameters().entries()) {
    const bool table = entry.name == "src_embedding.weight" ||
                       entry.name == "tgt_embedding.weight" || entry.name == "output_proj.weight";
    untied.parameters().value(entry).copy_from(
        value(tied, table ? "embedding.weight" : entry.name));
  }
  Pass pass = Pass::inference();
  const auto run = [&](Transformer& model) {
    const CrossEntropy loss = model.loss(src, tgt, tgt.ids, {0.1f, 0.0}, pass);
    backward(loss.loss);
    return loss.loss.value().item();
  };
  EXPECT_EQ(run(tied), run(untied));
  const auto gradient = [](const Transformer& model, const std::string& name) {
    for (const auto& entry : model.parameters().entries()) {
      if (entry.name == name)
        return model.parameters()
            .gradients()
            .slice_rows(entry.offset, entry.offset + entry.shape.size())
            .reshape(entry.shape);
    }
    throw Error("no parameter " + name);
  };
  const Tensor sum = gradient(untied, "src_embedding.weight").clone();
  backend()->add(sum, gradient(untied, "tgt_embedding.weight"), sum);
  backend()->add(sum, gradient(untied, "output_proj.weight"), sum);
  EXPECT_GT(backend()->sum_of_squares(sum), 0.0);
  EXPECT_LE(largest_difference(gradient(tied, "embedding.weight"), sum), 1e-5);
}

}  // namespace
}  // namespace attend
