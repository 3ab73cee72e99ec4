#include "attend/backend/cpu/grouped_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "attend/backend/cpu/quantized_weights.h"
#include "attend/error.h"
#include "backend/operands.h"

namespace attend {
namespace {

std::vector<float> values_of(const Tensor& grouped) {
  return dequantize_weights(in_eight_bits(grouped)).to_vector();
}

// The squared error beside the squares.
double relative_error(const Tensor& weights) {
  const std::vector<float> exact = weights.to_vector(), found = values_of(group_weights(weights));
  double error = 0, squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    error += std::pow(double{exact[i]} - found[i], 2);
    squares += std::pow(double{exact[i]}, 2);
  }
  return error / squares;
}

TEST(GroupedWeights, HaveTheWidthOfTheirBytes) {
  for (std::int64_t width = kWeightGroup; width <= 20 * kWeightGroup; width += kWeightGroup) {
    const Tensor grouped = group_weights(Tensor::zeros({2, width}));
    EXPECT_EQ(grouped.shape(), (Shape{2, width / 2 + (width + 31) / 32 + 4}));
    EXPECT_EQ(weight_columns(grouped), width);
  }
}

// Plain rounding, with the largest magnitude of 16 normal numbers at 7, leaves 0.0073 of their
// squares, of 32 numbers 0.0096.
TEST(GroupedWeights, ChooseFactorsThatLeaveLittleError) {
  Operands operands(Rows::contiguous);
  const double error = relative_error(operands.normal(64, 512));
  EXPECT_LT(error, 0.0064);
  EXPECT_GT(error, 0.0055);
}

TEST(GroupedWeights, KeepWhatTheyCanHold) {
  std::vector<float> row;  // groups with a factor each, both signs, and all 16 numbers
  for (const int factor : {15, -15, 3, -1, 1, -7, 13})
    for (int n = -8; n < 8; ++n) row.push_back(static_cast<float>(factor * n) / 16.0f);
  const Tensor weights = Tensor::from(row, {1, static_cast<std::int64_t>(row.size())});
  EXPECT_EQ(values_of(group_weights(weights)), row);
}

TEST(GroupedWeights, StandInHalvesOfBytesBeforeFactorsAndScale) {
  std::vector<float> row;
  for (int n = -8; n < 8; ++n) row.push_back(static_cast<float>(15 * n));
  for (int n = -8; n < 8; ++n) row.push_back(static_cast<float>(-5 * n));
  for (int n = -8; n < 8; ++n) row.push_back(static_cast<float>(11 * n));
  const Tensor grouped = group_weights(Tensor::from(row, {1, 48}));
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(grouped.row_bytes(0));
  EXPECT_EQ(bytes[0], 0x40) << "-8 and -4";
  EXPECT_EQ(bytes[3], 0x73) << "-5 and -1";
  EXPECT_EQ(bytes[4], 0xc8) << "0 and 4";
  EXPECT_EQ(bytes[23], 0xfb);
  EXPECT_EQ(bytes[24], 5 << 4 | 15) << "factors -5 and 15";
  EXPECT_EQ(bytes[25], 13);
  EXPECT_EQ(quantized_scale(grouped, 0), 1.0f);
  EXPECT_EQ(grouped.cols(), 24 + 2 + 4);
}

TEST(GroupedWeights, AreTheSameIntegersInEightBits) {
  Operands operands(Rows::contiguous);
  const Tensor grouped = group_weights(operands.normal(7, 80)), wide = in_eight_bits(grouped);
  EXPECT_EQ(wide.dtype(), DType::i8);
  EXPECT_EQ(wide.shape(), (Shape{7, quantized_columns(80)}));
  for (std::int64_t row = 0; row < 7; ++row) {
    EXPECT_EQ(quantized_scale(wide, row), quantized_scale(grouped, row));
    int largest = 0;
    for (std::int64_t i = 0; i < 80; ++i)
      largest = std::max(largest, std::abs(int{wide.row<std::int8_t>(row)[i]}));
    EXPECT_EQ(largest, 120);
  }
}

TEST(GroupedWeights, OfARangeOfRowsAreThoseRows) {
  Operands operands(Rows::contiguous);
  const Tensor weights = operands.normal(5, 32);
  EXPECT_EQ(values_of(group_weights(weights).slice_rows(1, 4)),
            values_of(group_weights(weights.slice_rows(1, 4))));
}

TEST(GroupedWeights, OfZerosAndOfWhatVanishesAreZeros) {
  const std::vector<float> zeros(16, 0.0f);
  EXPECT_EQ(values_of(group_weights(Tensor::zeros({1, 16}))), zeros);
  EXPECT_EQ(values_of(group_weights(Tensor::full({1, 16}, 1e-40f))), zeros);
}

TEST(GroupedWeights, MayBeLarge) {
  const Tensor weights = Tensor::full({1, 16}, 3e38f);
  EXPECT_NEAR(values_of(group_weights(weights))[5] / 3e38f, 1.0f, 1e-6f);
}

TEST(GroupedWeights, RefuseWhatHasNoSizeOrNoGroups) {
  Tensor weights = Tensor::zeros({3, 16});
  weights.row(2)[9] = std::numeric_limits<float>::infinity();
  EXPECT_THROW(group_weights(weights), DataError);
  EXPECT_THROW(group_weights(Tensor::full({1, 16}, std::nanf(""))), DataError);
  EXPECT_THROW(group_weights(Tensor::zeros({2, 24})), ShapeError);
  EXPECT_THROW(group_weights(Tensor::zeros({16})), ShapeError);
}

}  // namespace
}  // namespace attend
