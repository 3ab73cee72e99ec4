// Losses compute all their matrix products, forward and backward, in the precision asked for.
#include <gtest/gtest.h>

#include <functional>
#include <numeric>

#include "attend/ops/sampled_cross_entropy.h"
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

}  // namespace
}  // namespace attend
