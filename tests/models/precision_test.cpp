// The precision of a pass is that of all of its matrix products, going forward and going back.
#include <gtest/gtest.h>

#include "attend/models/language_transformer.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/models/text_classifier.h"
#include "attend/ops/losses/cross_entropy.h"
#include "backend/precision_count.h"
#include "backend/scoped_backend.h"
#include "models/small_encoder_decoder.h"
#include "models/small_transformer.h"

namespace attend {
namespace {

// loss(pass): a forward pass. in_f32: its products that are always in 32 bits.
template <class Loss>
void expect_products_in_the_precision_of_the_pass(const Loss& loss, int in_f32 = 0) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    PrecisionCount recording;
    const ScopedBackend scope(recording);
    Pass pass = Pass::training(1, 1, precision);
    backward(loss(pass).loss);
    EXPECT_GT(precision == Precision::f32 ? recording.in_f32() : recording.in_bf16(), 0);
    if (precision == Precision::f32) {
      EXPECT_EQ(recording.in_bf16(), 0);
    } else {
      EXPECT_EQ(recording.in_f32(), in_f32);
    }
  }
  EXPECT_EQ(Pass::inference().precision(), Precision::f32);
}

class PrecisionOf : public testing::TestWithParam<EncoderDecoderVariant> {};
INSTANTIATE_TEST_SUITE_P(Of, PrecisionOf, testing::ValuesIn(encoder_decoder_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(PrecisionOf, AnEncoderDecoder) {
  const auto model = make_encoder_decoder(GetParam().config, 1);
  const Ragged src = random_tokens({5, 1, 3}, 23, 1), tgt = random_tokens({4, 2, 6}, 23, 2);
  // The routers of a mixture and the gates of its shared expert: in the first layer of both stacks,
  // with two gradients each.
  const int in_f32 = GetParam().name == "MixtureOfExperts" ? 2 * 2 * 3 : 0;
  expect_products_in_the_precision_of_the_pass(
      [&](Pass& pass) { return model->loss(src, tgt, tgt.ids, {}, pass); }, in_f32);
  if (GetParam().name == "AsT5Gemma") return;  // no R-Drop with a cap of the logits
  expect_products_in_the_precision_of_the_pass(
      [&](Pass& pass) { return model->paired_loss(src, tgt, tgt.ids, 0.5f, {}, pass); }, in_f32);
}

TEST(PrecisionOf, ALanguageModel) {
  LanguageTransformerConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.vocab_size = 23;
  config.previous_tokens = 2;
  const LanguageTransformer model(config, 1);
  const Ragged text = random_tokens({5, 1, 3}, 23);
  const Ids classes{1, 5, 7};
  expect_products_in_the_precision_of_the_pass(
      [&](Pass& pass) { return model.loss(text, text.ids, {}, pass); });
  expect_products_in_the_precision_of_the_pass([&](Pass& pass) {
    return model.sampled_loss(text, text.ids, {classes, {0.0f, 0.5f, 0.5f}}, {}, pass);
  });
}

TEST(PrecisionOf, AClassifier) {
  ClassifierConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.vocab_size = 23;
  config.classes = 3;
  const TextClassifier model(config, 1);
  const Ragged texts = random_tokens({5, 1, 3}, 23);
  const Ids labels{0, 2, 1};
  expect_products_in_the_precision_of_the_pass(
      [&](Pass& pass) { return cross_entropy(model.forward(texts, pass), labels); });
}

}  // namespace
}  // namespace attend
