// Losses compute all their matrix products, forward and backward, in the precision asked for.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "attend/ops/losses/sampled_cross_entropy.h"
#include "attend/tensor/allocator.h"
#include "backend/precision_count.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

class LossPrecision : public testing::Test {
 protected:
  static constexpr int kRows = 6, kWidth = 8, kClasses = 10;

  void expect_all_in_bf16(const std::function<CrossEntropy(const CrossEntropyOptions&)>& loss) {
    CrossEntropyOptions options;
    options.precision = Precision::bf16;
    const CrossEntropy found = loss(options);
    backward(found.loss);
    EXPECT_GT(backend_.in_bf16(), 1);
    EXPECT_EQ(backend_.in_f32(), 0);
  }

  PrecisionCount backend_;
  ScopedBackend scope_{backend_};
  Random random_{{1, 2}};
  Variable x_{normal_tensor({kRows, kWidth}, random_), true};
  Variable weight_{normal_tensor({kClasses, kWidth}, random_), true};
  Ids targets_ = ids({1, 2, 3, 4, 5, 6});
};

TEST_F(LossPrecision, OfTheCrossEntropyOfAProjection) {
  expect_all_in_bf16([&](const CrossEntropyOptions& options) {
    return projected_cross_entropy(x_, {weight_, {}}, targets_, options);
  });
}

TEST_F(LossPrecision, OfTheCrossEntropyOfPairs) {
  expect_all_in_bf16([&](const CrossEntropyOptions& options) {
    return paired_cross_entropy(x_, {weight_, {}}, ids({1, 2, 3}), 1.0f, options);
  });
}

TEST_F(LossPrecision, OfTheSampledCrossEntropy) {
  std::vector<std::int32_t> all(kClasses);
  std::iota(all.begin(), all.end(), 0);
  expect_all_in_bf16([&](const CrossEntropyOptions& options) {
    return sampled_cross_entropy(x_, weight_, {ids(all), std::vector<float>(kClasses, 0.0f)},
                                 targets_, options);
  });
}

// The gradient belongs to the loss: both are weighed by the same numbers, in any precision.
TEST_F(LossPrecision, LeavesTheWeightsOfClassesAlone) {
  std::vector<float> weights;
  for (int i = 0; i < kClasses; ++i) weights.push_back(1.0f + static_cast<float>(i + 1) / 1000);
  const auto gradient_for = [&](Precision precision, const Tensor& class_weights) {
    const Variable logits(x_.value().clone(), true);
    backward(cross_entropy(logits, ids({1, 2, 3, 4, 5, 6}),
                           {.class_weights = class_weights, .precision = precision})
                 .loss);
    return logits.gradient().to_vector();
  };
  const std::vector<float> plain = gradient_for(Precision::bf16, {}),
                           weighed = gradient_for(
                               Precision::bf16,
                               Tensor::from(std::vector(weights.begin(), weights.begin() + kWidth),
                                            {kWidth}));
  for (int i = 0; i < kRows * kWidth; ++i)
    EXPECT_EQ(weighed[i], weights[i / kWidth + 1] * plain[i]) << i;
}

TEST_F(LossPrecision, NeedsNoTableOfClassesByClasses) {
  constexpr std::int64_t kMany = 20'000;
  const Variable logits(Tensor::zeros({2, kMany}), true);
  const CrossEntropyOptions options{.class_weights = Tensor::full({kMany}, 2.0f)};
  reset_peak_memory();
  const std::int64_t before = memory_statistics().peak_bytes;
  backward(cross_entropy(logits, ids({3, 4}), options).loss);
  EXPECT_LT(memory_statistics().peak_bytes - before, 100 * 4 * kMany) << "bytes";
}

}  // namespace
}  // namespace attend
