// The parts of a residual stream sum to what the stack gives, whatever the model. tests/parity
// compares each part with PyTorch.
#include "attend/models/stack/residual_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "models/small_transformer.h"

namespace attend {
namespace {

constexpr std::int64_t kRow = 3;

// Biases begin at 0 and gains at 1; here all of them matter.
void randomize_vectors(const ParameterSet& parameters) {
  Random random({5, stream_of("vectors")});
  for (const ParameterSet::Entry& entry : parameters.entries())
    if (entry.shape.rank() == 1)
      for (float& value : parameters.value(entry).span()) value += random.uniform() - 0.5f;
}

std::vector<double> some_direction(std::int64_t width) {
  std::vector<double> direction;
  for (std::int64_t i = 0; i < width; ++i) direction.push_back(std::sin(1.0 + 2.0 * i));
  return direction;
}

double sum_of(const std::vector<LogitPart>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const LogitPart& part) { return sum + part.value; });
}

double product(const std::vector<double>& direction, const float* row) {
  return std::inner_product(direction.begin(), direction.end(), row, 0.0);
}

class ResidualStreams : public testing::TestWithParam<Variant> {
 protected:
  ResidualStreams() : model_(GetParam().config, 3) {
    randomize_vectors(model_.parameters());
    const NoGradient guard;
    Pass pass = Pass::inference();
    pass.residual = &steps_;
    const Ragged src = random_tokens({6}, 23), tgt = random_tokens({5}, 23, 2);
    const Variable memory = model_.encode(src, pass);
    hidden_ = model_.decode(tgt, memory, src, pass).value().to_host();
    memory_ = memory.value().to_host();
  }

  Transformer model_;
  std::vector<ResidualStep> steps_;
  Tensor hidden_, memory_;
};

TEST_P(ResidualStreams, HavePartsThatSumToTheOutput) {
  for (const auto& [stack, output] : {std::pair{"encoder", &memory_}, {"decoder", &hidden_}}) {
    const std::vector<double> direction = some_direction(output->cols());
    EXPECT_NEAR(sum_of(ResidualStream(steps_, stack).parts(kRow, direction)),
                product(direction, output->row(kRow)), 1e-4)
        << stack;
  }
}

TEST_P(ResidualStreams, HaveAPartForEachHeadAndFeedForwardNetwork) {
  const TransformerConfig& config = GetParam().config;
  const int attentions = config.decoder_autoreg == DecoderAutoreg::ssru ? 1 : 2;
  int heads = 0, networks = 0, embeddings = 0;
  const ResidualStream decoder(steps_, "decoder");
  for (const LogitPart& part : decoder.parts(kRow, some_direction(hidden_.cols()))) {
    heads += part.head >= 0 ? 1 : 0;
    networks += part.module.ends_with(".feed_forward") ? 1 : 0;
    embeddings += part.module == "embedding" ? 1 : 0;
    EXPECT_NE(part.value, 0.0f) << part.module << ":" << part.head;
  }
  EXPECT_EQ(heads, 2 * attentions * config.decoder().n_heads);
  EXPECT_EQ(networks, 2);
  EXPECT_EQ(embeddings, 1);
}

TEST_P(ResidualStreams, EndWithTheOutputOfTheStack) {
  const Tensor outputs = ResidualStream(steps_, "decoder").outputs(kRow);
  ASSERT_EQ(outputs.rows(), 3) << "behind the embedding and two layers";
  for (std::int64_t i = 0; i < outputs.cols(); ++i) {
    EXPECT_NEAR(outputs.row(2)[i], hidden_.row(kRow)[i], 1e-4f);
    EXPECT_NE(outputs.row(1)[i], outputs.row(2)[i]);
  }
}

TEST_P(ResidualStreams, AreLeftAloneByAPassThatDoesNotAsk) {
  const std::size_t before = steps_.size();
  const NoGradient guard;
  Pass pass = Pass::inference();
  const Ragged src = random_tokens({6}, 23), tgt = random_tokens({5}, 23, 2);
  const Tensor hidden = model_.decode(tgt, model_.encode(src, pass), src, pass).value().to_host();
  EXPECT_EQ(hidden.to_vector(), hidden_.to_vector()) << "the same bits, asked or not";
  EXPECT_EQ(steps_.size(), before);
}

INSTANTIATE_TEST_SUITE_P(Variants, ResidualStreams, testing::ValuesIn(variants()),
                         [](const auto& info) { return info.param.name; });

TEST(ResidualStream, IsThatOfOneRowAlone) {
  const Transformer model(small_config(), 3);
  const auto parts_of = [&](const Ragged& src, std::int64_t row) {
    const NoGradient guard;
    std::vector<ResidualStep> steps;
    Pass pass = Pass::inference();
    pass.residual = &steps;
    model.encode(src, pass);
    return sum_of(ResidualStream(steps, "encoder").parts(row, some_direction(32)));
  };
  const Ragged both = random_tokens({4, 6}, 23);
  EXPECT_NEAR(parts_of(both, 5), parts_of(alone(both, 1), 1), 1e-5);
  EXPECT_NE(parts_of(both, 5), parts_of(both, 6));
}

TEST(ResidualStream, TellsTheLengthAndTheDirectionOfWhatIsAdded) {
  const auto row = [](std::vector<float> values) { return Tensor::from(values, {1, 2}); };
  const std::vector<ResidualStep> steps{{.module = "encoder", .added = row({3, 0})},
                                        {.module = "encoder.layers.0.a", .added = row({-2, 0})},
                                        {.module = "encoder.layers.0.b", .added = row({0, 5})}};
  const auto additions = ResidualStream(steps, "encoder").additions(0);
  ASSERT_EQ(additions.size(), 3u);
  EXPECT_EQ(additions[0].module, "embedding");
  EXPECT_EQ(additions[0].length, 3.0f);
  EXPECT_EQ(additions[0].cosine, 0.0f);
  EXPECT_EQ(additions[1].length, 2.0f);
  EXPECT_EQ(additions[1].cosine, -1.0f);
  EXPECT_EQ(additions[2].length, 5.0f);
  EXPECT_EQ(additions[2].cosine, 0.0f);
}

}  // namespace
}  // namespace attend
