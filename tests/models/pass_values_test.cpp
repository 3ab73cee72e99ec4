// What a pass keeps of what it computes: the numbers that make its output.
#include "attend/nn/pass_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/models/text_classifier.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "models/kept_values.h"
#include "models/small_transformer.h"
#include "ops/operands.h"

namespace attend {
namespace {

// And other choices of attention.
std::vector<Variant> variants_of_values() {
  std::vector<Variant> all = variants();
  const auto add = [&](const char* name, const auto& change) {
    all.push_back({name, small_config()});
    change(all.back().config);
  };
  add("AdditiveScores",
      [](TransformerConfig& c) { c.attention.scores = AttentionScores::additive; });
  add("HardChoice", [](TransformerConfig& c) { c.attention.choice = AttentionChoice::hard; });
  add("StraightThrough", [](TransformerConfig& c) {
    c.attention.choice = AttentionChoice::straight_through;
    c.n_key_heads = 2;
  });
  add("SlopesInAWindow", [](TransformerConfig& c) {
    c.positions = PositionKind::alibi;
    c.attention_window = 2;
    c.attention_cap = 0.5f;
  });
  return all;
}

class ValuesOfPasses : public testing::TestWithParam<Variant> {
 protected:
  Tensor pass_with(PassValues* values) const {
    const NoGradient guard;
    Pass pass = Pass::inference();
    pass.values = values;
    return model_.decode(tgt_, model_.encode(src_, pass), src_, pass).value();
  }
  KeptValues kept() const {
    KeptValues values;
    pass_with(&values);
    return values;
  }
  Tensor parameter(const std::string& name) const {
    for (const ParameterSet::Entry& entry : model_.parameters().entries())
      if (entry.name == name) return model_.parameters().value(entry);
    return {};
  }

  Transformer model_{GetParam().config, 1};
  Ragged src_ = random_tokens({7}, 23), tgt_ = random_tokens({5}, 23, 2);
};

INSTANTIATE_TEST_SUITE_P(Of, ValuesOfPasses, testing::ValuesIn(variants_of_values()),
                         [](const auto& suite) { return suite.param.name; });

TEST_P(ValuesOfPasses, ChangeNoBitOfTheOutput) {
  KeptValues values;
  EXPECT_TRUE(same_bits(pass_with(&values), pass_with(nullptr)));
  EXPECT_FALSE(values.all.empty());
}

// Rows of one head: the numbers of the keys.
std::vector<std::vector<float>> rows_of_pairs(const Tensor& pairs, std::int64_t keys) {
  const std::vector<float> numbers = pairs.to_vector();
  std::vector<std::vector<float>> rows;
  for (auto at = numbers.begin(); at != numbers.end(); at += keys) rows.push_back({at, at + keys});
  return rows;
}

void expect_softmax(const std::vector<float>& scores, const std::vector<float>& weights) {
  const float highest = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (const float score : scores) sum += std::exp(double{score} - double{highest});
  for (std::size_t j = 0; j < scores.size(); ++j)
    EXPECT_NEAR(std::exp(double{scores[j]} - double{highest}) / sum, weights[j], 1e-5);
}

void expect_weights_of_scores(const KeptValues& values, const std::string& module,
                              AttentionChoice choice) {
  SCOPED_TRACE(module);
  const std::int64_t keys = values(module, "keys").rows();
  const auto scores = rows_of_pairs(values(module, "scores"), keys),
             weights = rows_of_pairs(values(module, "weights"), keys);
  ASSERT_EQ(scores.size(), weights.size());
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (choice == AttentionChoice::soft) {
      expect_softmax(scores[row], weights[row]);
    } else {
      const auto best = std::max_element(scores[row].begin(), scores[row].end());
      EXPECT_EQ(weights[row][static_cast<std::size_t>(best - scores[row].begin())], 1.0f);
    }
    for (std::size_t j = 0; j < scores[row].size(); ++j)
      EXPECT_TRUE(std::isfinite(scores[row][j]) || weights[row][j] == 0.0f);
  }
}

TEST_P(ValuesOfPasses, HaveScoresThatGiveTheWeights) {
  const KeptValues values = kept();
  const std::vector<std::string> modules = values.with("scores");
  ASSERT_EQ(modules.size(), GetParam().config.decoder_autoreg == DecoderAutoreg::ssru ? 4u : 6u);
  for (const std::string& module : modules)
    expect_weights_of_scores(values, module, GetParam().config.attention.choice);
}

TEST_P(ValuesOfPasses, SeeNoLaterTokensInTheDecoder) {
  const KeptValues values = kept();
  for (const std::string& module : values.with("scores")) {
    const auto rows = rows_of_pairs(values(module, "scores"), values(module, "keys").rows());
    const bool is_causal = module.starts_with("decoder") && module.ends_with("self_attn");
    if (!is_causal) continue;
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t j = row % rows.front().size() + 1; j < rows[row].size(); ++j)
        EXPECT_TRUE(std::isinf(rows[row][j])) << module << " " << row << " " << j;
  }
}

TEST_P(ValuesOfPasses, HaveHeadsThatAreSumsOfValues) {
  const KeptValues values = kept();
  for (const std::string& module : values.with("heads")) {
    SCOPED_TRACE(module);
    const std::int64_t heads = module.starts_with("decoder") ? GetParam().config.decoder().n_heads
                                                             : GetParam().config.n_heads;
    const Tensor v = values(module, "values"), out = values(module, "heads"),
                 weights = values(module, "weights");
    const std::int64_t width = out.cols() / heads, of_group = heads / (v.cols() / width);
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < out.rows(); ++i) {
        for (std::int64_t c = 0; c < width; ++c) {
          double sum = 0;
          for (std::int64_t j = 0; j < v.rows(); ++j)
            sum += double{weights.data()[(h * out.rows() + i) * v.rows() + j]} *
                   double{v.row(j)[h / of_group * width + c]};
          ASSERT_NEAR(sum, out.row(i)[h * width + c], 1e-5) << h << " " << i << " " << c;
        }
      }
    }
  }
}

TEST_P(ValuesOfPasses, HaveInnerVectorsThatGiveTheOutput) {
  const KeptValues values = kept();
  for (const std::string& module : values.with("hidden")) {
    const std::string shared =
        GetParam().config.layer_groups == 1 ? module.substr(0, 15) + "0.feed_forward" : module;
    const Tensor bias = parameter(shared + ".linear2.bias");
    const Variable y =
        linear(Variable(values(module, "hidden")), Variable(parameter(shared + ".linear2.weight")),
               bias.defined() ? Variable(bias) : Variable());
    EXPECT_TRUE(same_bits(y.value(), values(module, "output"))) << module;
  }
}

// The sublayers of a stack, each with what it adds to the stream, and what is then normalized.
TEST_P(ValuesOfPasses, AddUpToTheOutput) {
  const KeptValues values = kept();
  const Tensor output = pass_with(nullptr);
  Tensor stream;
  for (const PassValue& value : values.all) {
    const std::string& module = value.module;
    if (value.name == "norm") stream = value.value;
    if (value.name != "sum") continue;
    SCOPED_TRACE(module);
    if (module.find('.') == std::string::npos) {  // a stack begins
      stream = value.value;
      continue;
    }
    const Tensor added = values(module, "added");
    const Tensor sum =
        add(Variable(stream), Variable(added.defined() ? added : values(module, "output"))).value();
    EXPECT_TRUE(same_bits(sum, value.value));
    stream = value.value;
  }
  const Tensor normalized = values("decoder", "output");
  EXPECT_TRUE(same_bits(normalized.defined() ? normalized : stream, output));
}

TEST_P(ValuesOfPasses, BeginWithTheEmbeddings) {
  const KeptValues values = kept();
  for (const char* const stack : {"encoder", "decoder"}) {
    const Tensor positions = values(stack, "positions");
    ASSERT_EQ(positions.defined(), is_added(GetParam().config.positions));
    if (GetParam().config.norm_embedding) continue;
    const Variable tokens(values(stack, "tokens"));
    const Tensor sum =
        positions.defined() ? add(tokens, Variable(positions)).value() : tokens.value();
    EXPECT_LE(largest_difference(sum, values(stack, "sum")), 1e-6);
  }
}

TEST(ValuesOfEncoders, HaveTheThreeTermsOfDisentangledScores) {
  ClassifierConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.n_encoder_layers = 2;
  config.positions = PositionKind::none;
  config.distance_biases = DistanceBiases::disentangled;
  config.relative = {8, 12};
  config.vocab_size = 23;
  config.classes = 2;
  const TextClassifier model(config, 1);
  KeptValues values;
  const NoGradient guard;
  Pass pass = Pass::inference();
  pass.values = &values;
  model.forward(random_tokens({9}, 23), pass);
  ASSERT_EQ(values.with("scores").size(), 2u);
  for (const std::string& module : values.with("scores"))
    expect_weights_of_scores(values, module, AttentionChoice::soft);
}

}  // namespace
}  // namespace attend
