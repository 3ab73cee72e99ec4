// Dropout on the sums of embeddings and positions, which every model has besides that of its
// sublayers (Vaswani et al. 2017, 5.4).
#include <gtest/gtest.h>

#include <functional>

#include "attend/models/language_transformer.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/models/text_classifier.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"

namespace attend {
namespace {

constexpr float kShare = 0.25f;

// What enters the first layer of a stack.
Tensor first_input(Pass pass, const std::function<void(Pass&)>& run) {
  std::vector<Tensor> hidden;
  pass.hidden = &hidden;
  run(pass);
  return hidden.at(0);
}

// In training every element of the input is either zero or what it is otherwise, scaled; about a
// quarter are zeros.
void expect_dropped(const std::function<void(Pass&)>& run) {
  const NoGradient guard;
  const std::vector<float> whole = first_input(Pass::inference(), run).to_vector();
  const std::vector<float> dropped = first_input(Pass::training(1, 1), run).to_vector();
  ASSERT_EQ(whole.size(), dropped.size());
  double zeros = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (dropped[i] == 0.0f) {
      ++zeros;
    } else {
      ASSERT_FLOAT_EQ(dropped[i], whole[i] / (1.0f - kShare)) << "element " << i;
    }
  }
  EXPECT_NEAR(zeros / static_cast<double>(whole.size()), kShare, 0.05);
}

class EmbeddingDropout : public testing::TestWithParam<EncoderDecoderVariant> {};

INSTANTIATE_TEST_SUITE_P(Of, EmbeddingDropout, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(EmbeddingDropout, IsOnSources) {
  ArchitectureConfig config = GetParam().config;
  std::visit([](auto& one) { one.dropout = kShare; }, config);
  const auto model = make_encoder_decoder(config, 1);
  expect_dropped([&](Pass& pass) {
    model->encode(random_tokens({20, 30, 1}, model->config().src_vocab_size), pass);
  });
}

// The pass numbers the masks it gives out: each layer asks for one more mask for its input than for
// its sublayers.
TEST_P(EmbeddingDropout, IsOnTargets) {
  const NoGradient guard;
  ArchitectureConfig config = GetParam().config;
  std::visit([](auto& one) { one.dropout = kShare; }, config);
  std::uint64_t masks = 2;  // of a recurrent decoder: its input, its output
  if (auto* transformer = std::get_if<TransformerConfig>(&config)) {
    transformer->attention_dropout = transformer->activation_dropout = 0.0f;
    masks = 1 + 3 * static_cast<std::uint64_t>(transformer->n_decoder_layers);
  }
  const auto model = make_encoder_decoder(config, 1);
  const Ragged src = random_tokens({4, 5}, model->config().src_vocab_size),
               tgt = random_tokens({3, 6}, model->config().tgt_vocab_size);
  Pass encoding = Pass::inference(), decoding = Pass::training(1, 1);
  const Variable memory = model->encode(src, encoding);
  const std::uint64_t first = Pass::training(1, 1).dropout(kShare).key.stream;
  model->decode(tgt, memory, src, decoding);
  EXPECT_EQ(decoding.dropout(kShare).key.stream - first, masks);
}

LanguageTransformerConfig dropping_language_config() {
  LanguageTransformerConfig config;
  config.d_model = 32;
  config.n_heads = 4;
  config.d_ff = 48;
  config.n_layers = 1;
  config.dropout = kShare;
  config.vocab_size = 23;
  return config;
}

TEST(EmbeddingDropoutOf, ALanguageModel) {
  const LanguageTransformer model(dropping_language_config(), 1);
  expect_dropped([&](Pass& pass) { model.hidden(random_tokens({20, 30, 1}, 23), pass); });
}

TEST(EmbeddingDropoutOf, AClassifier) {
  ClassifierConfig config;
  static_cast<StackConfig&>(config) = dropping_language_config();
  config.vocab_size = 23;
  config.classes = 2;
  const TextClassifier model(config, 1);
  expect_dropped([&](Pass& pass) { model.encode(random_tokens({20, 30, 1}, 23), pass); });
}

// x[n] = mask(E[n]) + W mask'(E[n-1]): two masks, one after the other.
TEST(EmbeddingDropoutOf, TheTokensBefore) {
  const NoGradient guard;
  LanguageTransformerConfig config = dropping_language_config();
  config.positions = PositionKind::none;
  config.previous_tokens = 1;
  const LanguageTransformer model(config, 1);
  const Ids text{5, 7, 9, 5};
  const Ids before{0, 5, 7, 9};
  Tensor projection;
  for (const auto& entry : model.parameters().entries())
    if (entry.name == "previous.0.weight") projection = model.parameters().value(entry);
  ASSERT_TRUE(projection.defined());
  const Variable table(model.embeddings());
  Pass pass = Pass::training(1, 1);
  const float scale = std::sqrt(32.0f);
  const Variable here = embedding(table, text, scale, {}, pass.dropout(kShare));
  const Variable expected =
      add(here,
          linear(embedding(table, before, scale, {}, pass.dropout(kShare)), Variable(projection)));
  const Tensor found = first_input(Pass::training(1, 1), [&](Pass& p) {
    model.hidden(Ragged::copy(*text, std::vector<std::int32_t>{0, 4}), p);
  });
  EXPECT_LE(largest_difference(found, expected.value()), 1e-6);
}

// x[n] = mask(E[n]) + mask'(B[pair of n - 1 and n]).
TEST(EmbeddingDropoutOf, ThePairsOfAClassifier) {
  const NoGradient guard;
  ClassifierConfig config;
  static_cast<StackConfig&>(config) = dropping_language_config();
  config.positions = PositionKind::none;
  config.vocab_size = 23;
  config.classes = 2;
  config.bigram_buckets = 11;
  const TextClassifier model(config, 1);
  Random random({1, 2});
  Tensor words, pairs;
  for (const auto& entry : model.parameters().entries()) {
    if (entry.name == "embedding.weight") words = model.parameters().value(entry);
    if (entry.name == "bigram_embedding.weight") pairs = model.parameters().value(entry);
  }
  ASSERT_TRUE(words.defined() && pairs.defined());
  fill_normal(pairs, random);  // they begin as zeros
  const Ragged text = random_tokens({4, 9}, 23);
  Pass pass = Pass::training(1, 1);
  const float scale = std::sqrt(32.0f);
  const Variable alone = embedding(Variable(words), text.ids, scale, {}, pass.dropout(kShare));
  const Variable expected = add(
      alone, embedding(Variable(pairs), bigram_buckets(text, 11), scale, {}, pass.dropout(kShare)));
  const Tensor found = first_input(Pass::training(1, 1), [&](Pass& p) { model.encode(text, p); });
  EXPECT_LE(largest_difference(found, expected.value()), 1e-6);
}

}  // namespace
}  // namespace attend
