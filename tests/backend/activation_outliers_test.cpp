// Large activations among small ones, multiplied by 8-bit weights (cpu/quantized_weights.h).
#include <gtest/gtest.h>

#include <numeric>

#include "attend/backend/cpu/packed_weights.h"
#include "backend/backend_test.h"

namespace attend {
namespace {

class ActivationOutliers : public EachBackend {
 protected:
  // Of a row of ones, but 1000 at `large`: the sum of the others, and that of the large ones.
  struct Sums {
    float ones, large;
  };
  Sums sums(std::int64_t depth, const std::vector<std::int64_t>& large, bool packed,
            float number = 1000.0f) const {
    const Tensor x = Tensor::full({1, depth}, 1.0f), rows = Tensor::zeros({16, depth});
    for (float& weight : rows.slice_rows(0, 1).span()) weight = 1.0f;
    for (const std::int64_t i : large) {
      x.data()[i] = number;
      rows.row(0)[i] = 0.0f;
      rows.row(1)[i] = 1.0f;
    }
    const Tensor quantized = quantize_weights(rows), y = Tensor::empty({1, 16});
    kernels().linear(x, packed ? pack_weights(quantized) : quantized, {}, {}, y);
    return {y.data()[0], y.data()[1]};
  }
};

INSTANTIATE_TEST_SUITE_P(On, ActivationOutliers, testing::Values(&reference_backend, &fast_backend),
                         backend_name);

TEST_P(ActivationOutliers, LeaveTheOthersTheirBits) {
  for (const bool packed : {false, true}) {
    const Sums one = sums(128, {77}, packed);
    EXPECT_NEAR(one.ones, 127.0f, 0.02f * 127.0f);
    EXPECT_FLOAT_EQ(one.large, 1000.0f);
    EXPECT_FLOAT_EQ(sums(128, {77}, packed, -1000.0f).large, -1000.0f);
    const Sums three = sums(384, {5, 69, 133}, packed);  // in one lane
    EXPECT_NEAR(three.ones, 381.0f, 0.02f * 381.0f);
    EXPECT_FLOAT_EQ(three.large, 3000.0f);
  }
}

TEST_P(ActivationOutliers, AreOneOfEvery128AtMost) {
  for (const bool packed : {false, true}) {
    EXPECT_EQ(sums(128, {7, 8}, packed).ones, 0.0f) << "too small beside two";
    EXPECT_NEAR(sums(132, {7, 8}, packed).ones, 130.0f, 0.02f * 130.0f);
    EXPECT_FLOAT_EQ(sums(128, {7, 8}, packed).large, 2000.0f);
  }
}

TEST_P(ActivationOutliers, Are256TimesTheLimitAtMost) {
  const Sums far = sums(128, {0}, true, 1e6f);
  EXPECT_EQ(far.ones, 0.0f) << "a step is 1e6 / 256 / 127";
  EXPECT_FLOAT_EQ(far.large, 1e6f);
}

}  // namespace
}  // namespace attend
