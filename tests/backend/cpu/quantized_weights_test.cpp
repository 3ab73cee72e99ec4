#include "attend/backend/cpu/quantized_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attend/error.h"

namespace attend {
namespace {

TEST(QuantizedWeights, KeepNumbersToHalfAStep) {
  const Tensor weights =
      Tensor::from(std::vector<float>{1.0f, -0.5f, 0.01f, 0.2f, 3.0f, -7.0f, 0.0f, 6.99f}, {2, 4});
  const Tensor quantized = quantize_weights(weights);
  EXPECT_EQ(quantized.shape(), (Shape{2, 8}));
  EXPECT_EQ(weight_columns(quantized), 4);
  EXPECT_FLOAT_EQ(quantized_scale(quantized, 0), 1.0f / 127);
  EXPECT_FLOAT_EQ(quantized_scale(quantized, 1), 7.0f / 127);
  const Tensor back = dequantize_weights(quantized);
  for (std::int64_t row = 0; row < 2; ++row) {
    for (std::int64_t i = 0; i < 4; ++i)
      EXPECT_LE(std::fabs(back.row(row)[i] - weights.row(row)[i]),
                0.5001f * quantized_scale(quantized, row))
          << row << ", " << i;
  }
  EXPECT_EQ(quantized.row<std::int8_t>(0)[0], 127);
  EXPECT_EQ(quantized.row<std::int8_t>(1)[1], -127);
}

TEST(QuantizedWeights, OfARangeOfRowsAreThoseRows) {
  const Tensor weights = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor part = quantize_weights(weights).slice_rows(1, 3);
  EXPECT_EQ(dequantize_weights(part).to_vector(),
            dequantize_weights(quantize_weights(weights.slice_rows(1, 3))).to_vector());
}

TEST(QuantizedWeights, OfZerosAreZeros) {
  EXPECT_EQ(dequantize_weights(quantize_weights(Tensor::zeros({1, 3}))).to_vector(),
            (std::vector<float>{0, 0, 0}));
}

// 127 divided by such a magnitude is infinite.
TEST(QuantizedWeights, OfTinyRowsAreZeros) {
  for (const float tiny : {std::numeric_limits<float>::denorm_min(), 1e-40f, 1e-38f, 3.7e-37f}) {
    const Tensor quantized =
        quantize_weights(Tensor::from(std::vector<float>{0.0f, -tiny, tiny, 0.5f * tiny}, {1, 4}));
    EXPECT_EQ(quantized_scale(quantized, 0), 0.0f) << tiny;
    EXPECT_EQ(dequantize_weights(quantized).to_vector(), (std::vector<float>{0, 0, 0, 0})) << tiny;
  }
  const Tensor small = Tensor::from(std::vector<float>{0.0f, -4e-37f, 2e-37f}, {1, 3});
  EXPECT_NEAR(dequantize_weights(quantize_weights(small)).to_vector()[1], -4e-37f, 1e-39f);
}

TEST(QuantizedWeights, RefuseWhatHasNoSize) {
  EXPECT_THROW(quantize_weights(Tensor::full({1, 2}, std::numeric_limits<float>::infinity())),
               DataError);
  EXPECT_THROW(quantize_weights(Tensor::full({1, 2}, std::nanf(""))), DataError);
  EXPECT_THROW(quantize_weights(Tensor::zeros({4})), ShapeError);
}

}  // namespace
}  // namespace attend
