#include "attend/models/text_embedder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/pooling.h"
#include "attend/ops/slices.h"
#include "models/small_transformer.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

EmbedderConfig small_embedder_config(Pooling pooling = Pooling::mean, bool normalize = true) {
  EmbedderConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.pooling = pooling;
  config.normalize = normalize;
  config.token_types = 2;
  config.vocab_size = 23;
  return config;
}

Tensor vectors_of(const TextEmbedder& embedder, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  return embedder.forward(texts, pass).value();
}

double length_of(const Tensor& row) { return std::sqrt(backend()->sum_of_squares(row)); }

TEST(TextEmbedder, GivesEveryTextTheBitsItHasAlone) {
  for (const Pooling pooling : {Pooling::max, Pooling::mean, Pooling::first}) {
    const TextEmbedder embedder(small_embedder_config(pooling), 1);
    const Ragged texts = random_tokens({3, 1, 9, 33, 2, 64}, 23);
    const Tensor together = vectors_of(embedder, texts);
    ASSERT_EQ(together.shape(), (Shape{6, 32}));
    for (std::size_t b = 0; b < 6; ++b) {
      const auto row = static_cast<std::int64_t>(b);
      EXPECT_TRUE(
          same_bits(vectors_of(embedder, alone(texts, b)), together.slice_rows(row, row + 1)))
          << "text " << b;
    }
  }
}

TEST(TextEmbedder, OfTokensThatSeeNoLaterOnesHasTheSameFirstVectorForEveryEnd) {
  EmbedderConfig config = small_embedder_config(Pooling::first);
  const auto differs = [&] {
    const TextEmbedder embedder(config, 1);
    Ragged texts = random_tokens({5}, 23);
    const Tensor before = vectors_of(embedder, texts);
    std::vector<std::int32_t> ids(texts.ids->begin(), texts.ids->end());
    ids.back() = (ids.back() + 1) % 23;
    return !same_bits(before, vectors_of(embedder, {Ids(ids), texts.offsets}));
  };
  EXPECT_TRUE(differs());
  config.causal = true;
  EXPECT_FALSE(differs());
  config.pooling = Pooling::last;
  EXPECT_TRUE(differs());
}

TEST(TextEmbedder, ScalesThePooledVectorToLengthOne) {
  const TextEmbedder unit(small_embedder_config(), 1),
      plain(small_embedder_config(Pooling::mean, false), 1);
  const Ragged texts = random_tokens({3, 7}, 23);
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Tensor expected = pool(plain.encode(texts, pass), texts.offsets, Pooling::mean).value();
  EXPECT_TRUE(same_bits(vectors_of(plain, texts), expected));
  const Tensor scaled = vectors_of(unit, texts);
  for (std::int64_t b = 0; b < 2; ++b) {
    const double length = length_of(expected.slice_rows(b, b + 1));
    EXPECT_GT(std::abs(length - 1), 0.1);
    EXPECT_NEAR(length_of(scaled.slice_rows(b, b + 1)), 1, 1e-6);
    for (std::int64_t d = 0; d < 32; ++d)
      EXPECT_NEAR(scaled.row(b)[d], expected.row(b)[d] / length, 1e-6);
  }
}

TEST(TextEmbedder, PutsPoolingsSideBySideBeforeItsLayer) {
  EmbedderConfig config = small_embedder_config(Pooling::last, false);
  config.more_pooling = {"max", "weighted_mean"};
  EXPECT_EQ(config.vector_width(), 96);
  const TextEmbedder wide(config, 1);
  config.dense_width = 6;
  config.dense_activation = Activation::relu;
  EXPECT_EQ(config.vector_width(), 6);
  const TextEmbedder narrow(config, 1);
  const Ragged texts = random_tokens({3, 7}, 23);
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Variable tokens = wide.encode(texts, pass);
  const auto pooled = [&](Pooling pooling) { return pool(tokens, texts.offsets, pooling); };
  const Variable expected = concat_columns(
      concat_columns(pooled(Pooling::last), pooled(Pooling::max)), pooled(Pooling::weighted_mean));
  EXPECT_TRUE(same_bits(vectors_of(wide, texts), expected.value()));
  std::map<std::string, Variable> dense;
  for (const auto& entry : narrow.parameters().entries())
    if (entry.name.starts_with("dense."))
      dense[entry.name] = Variable(narrow.parameters().value(entry));
  EXPECT_TRUE(same_bits(
      vectors_of(narrow, texts),
      linear(expected, dense["dense.weight"], dense["dense.bias"], {.activation = Activation::relu})
          .value()));
}

TEST(TextEmbedder, NeedsAFirstLinearLayerBeforeASecond) {
  EmbedderConfig config = small_embedder_config();
  config.second_dense_width = 6;
  expect_error<ConfigError>([&] { TextEmbedder(config, 1); },
                            {"second_dense_width: needs dense_width"});
}

TEST(TextEmbedder, ChecksItsPoolings) {
  EmbedderConfig config = small_embedder_config();
  config.more_pooling = {"max", "median"};
  expect_error<ConfigError>([&] { TextEmbedder(config, 1); },
                            {"more_pooling", "weighted_mean", "'median'"});
  config.more_pooling = {"max", "mean"};
  expect_error<ConfigError>([&] { TextEmbedder(config, 1); },
                            {"more_pooling: mean is there already"});
}

TEST(TextEmbedder, PassesGradientsToAllOfItsParameters) {
  EmbedderConfig config = small_embedder_config();
  config.more_pooling = {"mean_sqrt"};
  config.dense_width = 8;
  config.second_dense_width = 6;
  EXPECT_EQ(config.vector_width(), 6);
  TextEmbedder embedder(config, 1);
  Pass pass = Pass::training(1, 1);
  const Variable vectors = embedder.forward(random_tokens({5, 9, 2}, 23, 1), pass);
  backward(cross_entropy(vectors, Ids{2, 0, 1}).loss);
  for (const auto& entry : embedder.parameters().entries()) {
    if (entry.name.ends_with("k_proj.bias")) continue;  // softmax does not see it
    const Tensor gradient = embedder.parameters().gradients().slice_rows(
        entry.offset, entry.offset + entry.shape.size());
    EXPECT_GT(backend()->sum_of_squares(gradient), 0.0) << entry.name;
  }
}

TEST(TextEmbedder, NamesItsParametersByTheirModules) {
  const TextEmbedder embedder(small_embedder_config(), 1);
  std::set<std::string> names;
  for (const auto& entry : embedder.parameters().entries()) names.insert(entry.name);
  for (const char* name :
       {"embedding.weight", "token_types.weight", "encoder.layers.1.self_attn.q_proj.weight"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("output.weight"));
}

TEST(TextEmbedder, ChecksItsConfiguration) {
  EmbedderConfig config = small_embedder_config();
  config.n_heads = 7;
  EXPECT_THROW(TextEmbedder(config, 1), ConfigError);
  config = small_embedder_config();
  config.vocab_size = 0;
  EXPECT_THROW(TextEmbedder(config, 1), ConfigError);
  config = small_embedder_config();
  config.token_types = -1;
  EXPECT_THROW(TextEmbedder(config, 1), ConfigError);
}

}  // namespace
}  // namespace attend
