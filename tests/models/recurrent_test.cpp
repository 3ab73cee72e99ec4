#include "attend/models/recurrent.h"
#include "attend/models/make_encoder_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/error.h"
#include "models/small_encoder_decoder.h"
#include "ops/operands.h"
#include "tensor/all_finite.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(Recurrent, HasTheParametersOfItsFormula) {
  const RecurrentConfig c = small_recurrent_config();
  const std::int64_t d = c.d_model, h = c.d_hidden, a = h, v = c.tgt_vocab_size;
  const std::int64_t gru = 3 * h * d + 3 * h * h + 6 * h;
  const std::int64_t attention = a * h + a * 2 * h + a + a;
  EXPECT_EQ(Recurrent(c, 1).parameters().size(),
            v * d + 3 * gru + (2 * h * h + h) + attention + 3 * h * 2 * h + ((3 * h + d) * d + d));
}

TEST(Recurrent, NamesItsParametersAfterTheirModules) {
  std::set<std::string> names;
  const Recurrent model(small_recurrent_config(), 1);
  for (const auto& entry : model.parameters().entries()) names.insert(entry.name);
  for (const char* name :
       {"embedding.weight", "encoder.forward.weight_ih", "encoder.backward.bias_hh",
        "decoder.initial.weight", "decoder.attention.query_proj.weight",
        "decoder.attention.score.weight", "decoder.gru.weight_hh", "decoder.context_proj.weight",
        "decoder.readout.bias"})
    EXPECT_TRUE(names.count(name)) << name;
}

class RecurrentVariants : public testing::TestWithParam<EncoderDecoderVariant> {};

INSTANTIATE_TEST_SUITE_P(Of, RecurrentVariants, testing::ValuesIn(attention_variants()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(RecurrentVariants, SendAGradientToEveryParameterThatCanHaveOne) {
  const auto model = make_encoder_decoder(GetParam().config, 1);
  const Ragged src = random_tokens({3, 5}, 23), tgt = random_tokens({4, 2}, 23, 2);
  Pass pass = Pass::training(1, 1);
  backward(model->loss(src, tgt, tgt.ids, {}, pass).loss);
  const bool hard = std::visit([](const auto& one) { return one.attention.choice; },
                               GetParam().config) == AttentionChoice::hard;
  const std::set<std::string> of_scores{"q_proj.weight",   "k_proj.weight", "q_proj.bias",
                                        "k_proj.bias",     "score.weight",  "query_proj.weight",
                                        "key_proj.weight", "key_proj.bias"};
  for (const auto& entry : model->parameters().entries()) {
    const std::string last =
        entry.name.substr(entry.name.rfind('.', entry.name.rfind('.') - 1) + 1);
    const Tensor gradient =
        model->parameters().gradients().slice_rows(entry.offset, entry.offset + entry.shape.size());
    EXPECT_TRUE(all_finite(gradient)) << entry.name;
    if (hard && of_scores.count(last)) {
      EXPECT_EQ(backend()->sum_of_squares(gradient), 0.0)
          << entry.name << ": nothing passes an arg max";
    } else {
      EXPECT_GT(backend()->sum_of_squares(gradient), 0.0) << entry.name;
    }
  }
}

// The slope of the loss along every parameter's gradient, measured by differences: it is the
// gradient's length.
TEST(Recurrent, HasTheGradientOfItsLoss) {
  RecurrentConfig config = small_recurrent_config();
  config.tie_embeddings = TiedEmbeddings::none;
  Recurrent model(config, 1);
  const Ragged src = random_tokens({3, 1, 5}, 23), tgt = random_tokens({2, 6, 4}, 23, 2);
  Pass pass = Pass::inference();
  backward(model.loss(src, tgt, tgt.ids, {0.1f, 1.0}, pass).loss);
  const NoGradient guard;
  for (const auto& entry : model.parameters().entries()) {
    const Tensor gradient =
        model.parameters().gradients().slice_rows(entry.offset, entry.offset + entry.shape.size());
    const Tensor values =
        model.parameters().values().slice_rows(entry.offset, entry.offset + entry.shape.size());
    const Tensor before = values.clone();
    const double length = std::sqrt(backend()->sum_of_squares(gradient));
    ASSERT_GT(length, 0.0) << entry.name;
    constexpr double kStep = 1e-2;
    const auto loss_at = [&](double step) {
      values.copy_from(before);
      backend()->axpby(static_cast<float>(step / length), gradient, 1.0f, values);
      return model.loss(src, tgt, tgt.ids, {0.1f, 1.0}, pass).loss_sum;
    };
    EXPECT_NEAR((loss_at(kStep) - loss_at(-kStep)) / (2 * kStep), length, 1e-2 * length + 2e-3)
        << entry.name;
    values.copy_from(before);
  }
}

TEST(Recurrent, RecordsWhereItLooked) {
  const Recurrent model(small_recurrent_config(), 1);
  const Ragged src = random_tokens({3, 5, 2}, 23), tgt = random_tokens({1, 4, 0}, 23, 2);
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<AttentionRecord> records;
  pass.attention = &records;
  model.decode(tgt, model.encode(src, pass), src, pass);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].module, "decoder.attention");
  ASSERT_EQ(records[0].weights.size(), 1 * 3 + 4 * 5);
  const auto row_sum = [&](std::int64_t begin, std::int64_t keys) {
    return backend()->sum(records[0].weights.slice_rows(begin, begin + keys));
  };
  EXPECT_NEAR(row_sum(0, 3), 1.0, 1e-5);
  for (std::int64_t t = 0; t < 4; ++t) EXPECT_NEAR(row_sum(3 + 5 * t, 5), 1.0, 1e-5);
  // The record of a sequence is the one it has alone.
  std::vector<AttentionRecord> single;
  pass.attention = &single;
  const Ragged one_src = alone(src, 1), one_tgt = alone(tgt, 1);
  model.decode(one_tgt, model.encode(one_src, pass), one_src, pass);
  EXPECT_TRUE(same_bits(records[0].weights.slice_rows(3, 23), single[0].weights));
}

TEST(Recurrent, BeginsDecodingWithTheMeanOfTheMemory) {
  const Recurrent model(small_recurrent_config(), 1);
  const Ragged tgt = random_tokens({3}, 23, 2);
  Random random({1, 2});
  const Tensor row = normal_tensor({1, 48}, random), rows = Tensor::empty({5, 48});
  for (std::int64_t r = 0; r < 5; ++r) rows.slice_rows(r, r + 1).copy_from(row);
  const NoGradient guard;
  Pass pass = Pass::inference();
  // Neither the mean of equal states nor what attention takes from them depends on their number.
  const Tensor of_one = model.decode(tgt, Variable(row), random_tokens({1}, 23), pass).value();
  const Tensor of_five = model.decode(tgt, Variable(rows), random_tokens({5}, 23), pass).value();
  for (std::int64_t r = 0; r < of_one.rows(); ++r) {
    for (std::int64_t c = 0; c < of_one.cols(); ++c)
      EXPECT_NEAR(of_one.row(r)[c], of_five.row(r)[c], 1e-5f) << r << ", " << c;
  }
}

TEST(Recurrent, ShowsItsEmbeddingsAndItsMemory) {
  const Recurrent model(small_recurrent_config(), 1);
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<Tensor> hidden;
  pass.hidden = &hidden;
  const Tensor memory = model.encode(random_tokens({3, 5}, 23), pass).value();
  ASSERT_EQ(hidden.size(), static_cast<std::size_t>(model.encoder_layers()) + 1);
  EXPECT_EQ(hidden[0].shape(), (Shape{8, 32}));
  EXPECT_EQ(memory.shape(), (Shape{8, 48}));
  EXPECT_TRUE(same_bits(hidden[1], memory));
}

TEST(Recurrent, TakesWidthsThatAreNotGivenFromTheNextWider) {
  RecurrentConfig config;
  config.d_model = 10;
  EXPECT_EQ(config.hidden_width(), 10);
  EXPECT_EQ(config.attention_width(), 10);
  config.d_hidden = 6;
  EXPECT_EQ(config.attention_width(), 6);
  config.d_attention = 4;
  EXPECT_EQ(config.attention_width(), 4);
}

TEST(Recurrent, RefusesConfigurationsThatCannotBe) {
  RecurrentConfig config = small_recurrent_config();
  config.d_hidden = -1;
  expect_error<ConfigError>([&] { Recurrent(config, 1); }, {"d_hidden", "-1"});
  config = small_recurrent_config();
  config.src_vocab_size = 29;
  expect_error<ConfigError>([&] { Recurrent(config, 1); }, {"tie_embeddings"});
}

}  // namespace
}  // namespace attend
