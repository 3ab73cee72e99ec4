#include "attend/nn/relative_positions.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(RelativePositions, GiveDistancesOfOneBucketOneBias) {
  ParameterSet parameters;
  const RelativeOptions options{8, 10};
  const auto positions = RelativePositions::learned(parameters, "p", 3, options, false);
  parameters.allocate(1);
  const Tensor table = parameters.value(parameters.entries().at(0));
  ASSERT_EQ(table.shape(), (Shape{8, 3}));
  const Tensor biases = positions->biases(100).value();
  ASSERT_EQ(biases.shape(), (Shape{21, 3}));
  for (std::int64_t distance = -10; distance <= 10; ++distance) {
    const std::int32_t bucket = relative_bucket(distance, options, false);
    for (std::int64_t head = 0; head < 3; ++head)
      EXPECT_EQ(biases.row(distance + 10)[head], table.row(bucket)[head]) << distance;
  }
}

TEST(RelativePositions, PutAllDistancesBeyondTheLongestIntoTheLastBucket) {
  for (const bool causal : {false, true}) {
    for (const RelativeOptions& options : {RelativeOptions{}, RelativeOptions{8, 5}}) {
      const std::int32_t last = relative_bucket(-options.distance, options, causal);
      EXPECT_EQ(last, (causal ? options.buckets : options.buckets / 2) - 1);
      EXPECT_EQ(relative_bucket(-100000, options, causal), last);
      EXPECT_EQ(relative_bucket(100000, options, causal), causal ? 0 : options.buckets - 1);
    }
  }
}

// Every bucket beyond the exact ones begins at twice the distance of the one before.
TEST(RelativePositions, BeginBucketsAtTheStepsOfTheLogarithm) {
  for (int step = 0; step < 5; ++step) {
    const std::int64_t first = 5 << step;
    EXPECT_EQ(relative_bucket(-first, {10, 160}, true), 5 + step);
    EXPECT_EQ(relative_bucket(1 - first, {10, 160}, true), 4 + step);
  }
}

TEST(RelativePositions, SumTheGradientsOfABucket) {
  ParameterSet parameters;
  const RelativeOptions options{4, 3};
  const auto positions = RelativePositions::learned(parameters, "p", 1, options, true);
  parameters.allocate(1);
  backward(positions->biases(1), Tensor::full({7, 1}, 1.0f));  // distances -3 .. 3
  // Buckets of the sizes 0 (or a later key), 1, 2 and 3.
  EXPECT_EQ(parameters.gradients().to_vector(), (std::vector<float>{4, 1, 1, 1}));
}

TEST(RelativePositions, SlopeWithoutAnEnd) {
  const auto positions = RelativePositions::alibi(2);  // slopes 1/16 and 1/256
  const Tensor biases = positions->biases(5).value(), more = positions->biases(3000).value();
  ASSERT_GE(more.rows(), 2 * 2999 + 1);
  const std::int64_t middle = more.rows() / 2;
  EXPECT_EQ(more.row(middle)[0], 0.0f);
  EXPECT_EQ(more.row(middle - 2999)[0], -2999.0f / 16);
  EXPECT_EQ(more.row(middle + 2999)[1], -2999.0f / 256);
  EXPECT_EQ(biases.row(biases.rows() / 2 - 4)[1], -4.0f / 256);
}

TEST(RelativePositions, NeedADistanceBeyondTheExactBuckets) {
  ParameterSet parameters;
  expect_error<ConfigError>(
      [&] {
        RelativePositions::learned(parameters, "p", 1, {32, 16}, true);
      },
      {"relative_distance", "relative_buckets 32", "16"});
}

TEST(RelativePositions, NeedSoftAttentionOfProducts) {
  const auto expect_refused = [](const AttentionVariant& variant) {
    ParameterSet parameters;
    MultiHeadAttentionOptions options;
    options.relative = RelativePositions::alibi(options.n_heads);
    options.variant = variant;
    expect_error<ConfigError>([&] { MultiHeadAttention(parameters, "a", options); },
                              {"positions", "attention_scores dot", "attention_choice soft"});
  };
  expect_refused({.scores = AttentionScores::additive});
  expect_refused({.choice = AttentionChoice::hard});
}

}  // namespace
}  // namespace attend
