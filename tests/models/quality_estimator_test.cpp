#include "attend/models/quality_estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "attend/error.h"
#include "models/small_transformer.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

QualityConfig small_quality_config() {
  QualityConfig config;
  static_cast<StackConfig&>(config) = small_config();
  config.vocab_size = 23;
  config.estimator_widths = {"6"};
  return config;
}

QualityEstimator allocated(const QualityConfig& config) {
  QualityEstimator estimator(config);
  estimator.parameters().allocate(1);
  return estimator;
}

std::vector<float> vectors_of(const QualityEstimator& estimator, const Ragged& texts) {
  const NoGradient guard;
  Pass pass = Pass::inference();
  return estimator.vectors(texts, pass).value().to_vector();
}

TEST(QualityEstimator, ComparesVectorsByProductsAndDistances) {
  QualityConfig config = small_quality_config();
  const Variable h(Tensor::from(std::vector{1.0f, -2.0f}, {1, 2})),
      s(Tensor::from(std::vector{3.0f, 5.0f}, {1, 2})),
      r(Tensor::from(std::vector{-1.0f, 0.5f}, {1, 2}));
  EXPECT_EQ(allocated(config).comparison(h, s, r).value().to_vector(),
            (std::vector<float>{1, -2, -1, 0.5f, -1, -1, 2, 2.5f, 3, -10, 2, 7}));
  config.reference = false;
  EXPECT_EQ(allocated(config).comparison(h, s, {}).value().to_vector(),
            (std::vector<float>{1, -2, 3, 5, 3, -10, 2, 7}));
}

// A token that is not counted is no part of a vector, but of the length in a mean.
TEST(QualityEstimator, LeavesOutTokensThatAreNotCounted) {
  constexpr std::int32_t kPad = 4;
  const Ragged texts = Ragged::copy(std::vector<std::int32_t>{2, 5, kPad, 6, 2, 9, 7},
                                    std::vector<std::int32_t>{0, 4, 7});
  for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::first}) {
    QualityConfig config = small_quality_config();
    config.positions = PositionKind::learned;
    config.uncounted_token = kPad;
    config.pooling = pooling;
    const QualityEstimator estimator = allocated(config);
    const NoGradient guard;
    Pass pass = Pass::inference();
    const std::vector<float> tokens = estimator.encode(texts, pass).value().to_vector();
    const std::vector<float> vectors = vectors_of(estimator, texts);
    const auto width = static_cast<std::size_t>(config.d_model);
    for (std::size_t d = 0; d < width; ++d) {
      const auto at = [&](std::size_t token) { return tokens[token * width + d]; };
      const float expected = pooling == Pooling::first ? at(0)
                             : pooling == Pooling::max ? std::max({at(0), at(1), at(3)})
                                                       : (at(0) + at(1) + at(3)) / 4;
      EXPECT_NEAR(vectors[d], expected, 1e-5);
      const float other = pooling == Pooling::first ? at(4)
                          : pooling == Pooling::max ? std::max({at(4), at(5), at(6)})
                                                    : (at(4) + at(5) + at(6)) / 3;
      EXPECT_NEAR(vectors[width + d], other, 1e-5);
    }
  }
}

TEST(QualityEstimator, ChecksItsConfiguration) {
  QualityConfig config = small_quality_config();
  for (const char* width : {"0", "x", "", "1.5", "999999999999"}) {
    config.estimator_widths = {width};
    expect_error<ConfigError>([&] { QualityEstimator{config}; }, {"estimator"});
  }
  config = small_quality_config();
  config.pooling = Pooling::last;
  expect_error<ConfigError>([&] { QualityEstimator{config}; }, {"pooling"});
  config = small_quality_config();
  config.source = false;
  expect_error<ConfigError>([&] { QualityEstimator{config}; }, {"source"});
  config.reading = QualityReading::joined;
  EXPECT_EQ(QualityEstimator(config).config().estimated_width(), config.d_model);
}

// A pass that asks for the layers gets them beside the mix.
TEST(QualityEstimator, ShowsTheLayersThatItMixes) {
  QualityConfig config = small_quality_config();
  config.mix.weights = LayerWeights::softmax;
  const QualityEstimator estimator = allocated(config);
  const NoGradient guard;
  Pass pass = Pass::inference();
  std::vector<Tensor> layers;
  pass.hidden = &layers;
  estimator.vectors(random_tokens({3, 5}, 23), pass);
  EXPECT_EQ(layers.size(), static_cast<std::size_t>(config.n_encoder_layers) + 1);
}

}  // namespace
}  // namespace attend
