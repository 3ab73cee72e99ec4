#include "attend/tensor/panels.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "attend/core/error.h"

namespace attend {
namespace {

Tensor numbered(std::int64_t rows, std::int64_t columns) {
  const Tensor weights = Tensor::empty({rows, columns});
  for (std::int64_t i = 0; i < weights.size(); ++i) weights.data()[i] = static_cast<float>(i % 251) - 125.0f;
  return weights;
}

TEST(Panels, HoldTheNumbersOfAColumnSideBySideAndTheLastRowsAsTheyWere) {
  const Tensor rows = numbered(35, 3), memory = rows.clone();
  const Tensor panels = to_panels(memory);
  EXPECT_EQ(panels.shape(), rows.shape());
  EXPECT_EQ(panels.bytes(), memory.bytes()) << "in place";
  EXPECT_EQ(rows_in_panels(panels), 32);
  EXPECT_EQ(memory.data()[0], rows.row(0)[0]);
  EXPECT_EQ(memory.data()[1], rows.row(1)[0]);
  EXPECT_EQ(memory.data()[16], rows.row(0)[1]);
  EXPECT_EQ(memory.data()[16 * 3 + 2 * 16 + 5], rows.row(16 + 5)[2]) << "the second panel";
  EXPECT_EQ(memory.row(34)[1], rows.row(34)[1]);
}

TEST(Panels, HoldFourNeighboursOfEightBitsWithoutSignAndThenTheScales) {
  const Tensor rows = quantize_rows(numbered(16, 8)), memory = rows.clone();
  to_panels(memory);
  const auto* panel = memory.data<std::int8_t>();
  const auto number = [&](std::size_t i) { return static_cast<std::uint8_t>(panel[i]) - 128; };
  EXPECT_EQ(number(0), rows.row<std::int8_t>(0)[0]);
  EXPECT_EQ(number(3), rows.row<std::int8_t>(0)[3]);
  EXPECT_EQ(number(4), rows.row<std::int8_t>(1)[0]);
  EXPECT_EQ(number(64 + 4 * 7 + 1), rows.row<std::int8_t>(7)[5]);
  float scale = 0.0f;
  std::memcpy(&scale, panel + 16 * 8 + 9 * sizeof scale, sizeof scale);
  EXPECT_EQ(scale, quantized_scale(rows, 9));
}

TEST(Panels, GiveTheirRowsBack) {
  const std::vector<std::int32_t> some{33, 0, 17, 16, 0, 15};
  for (const std::int64_t columns : {1, 2, 8, 64}) {
    const Tensor rows = numbered(34, columns), panels = to_panels(rows.clone());
    EXPECT_EQ(weight_rows(panels).to_vector(), rows.to_vector());
    EXPECT_EQ(float_weights(panels).to_vector(), rows.to_vector());
    const Tensor chosen = weight_rows(panels, some);
    for (std::size_t n = 0; n < some.size(); ++n)
      EXPECT_EQ(chosen.row(static_cast<std::int64_t>(n))[0], rows.row(some[n])[0]) << "row " << some[n] << " of " << columns << " columns";
    EXPECT_EQ(chosen.to_vector(), weight_rows(rows, some).to_vector());

    const Tensor quantized = quantize_rows(rows);
    if (columns % 4 != 0) {
      EXPECT_FALSE(fits_panels(quantized));
      continue;
    }
    const Tensor quantized_panels = to_panels(quantized.clone());
    EXPECT_TRUE(is_quantized(quantized_panels));
    EXPECT_EQ(float_weights(quantized_panels).to_vector(), float_weights(quantized).to_vector());
    EXPECT_EQ(dequantize_rows(weight_rows(quantized_panels, some)).to_vector(), dequantize_rows(weight_rows(quantized, some)).to_vector());
  }
}

TEST(Panels, OfARangeOfWholePanelsAreThoseRows) {
  const Tensor rows = numbered(64, 8), part = to_panels(rows.clone()).slice_rows(16, 48);
  EXPECT_EQ(weight_rows(part).to_vector(), rows.slice_rows(16, 48).to_vector());
}

TEST(Panels, AreNotTakenForRows) {
  const Tensor panels = to_panels(numbered(16, 8));
  EXPECT_THROW(panels.data(), ShapeError);
  EXPECT_THROW(to_panels(panels), ShapeError);
}

TEST(Panels, NeedARowOfMemoryForEveryRowOfAPanel) {
  EXPECT_THROW(to_panels(numbered(15, 8)), ShapeError);
  EXPECT_THROW(to_panels(Tensor::empty({64})), ShapeError);
  EXPECT_THROW(to_panels(numbered(32, 8).slice_columns(0, 4)), ShapeError);
  EXPECT_THROW(to_panels(Tensor::empty({16, 8}, DType::i32)), ShapeError);
}

}  // namespace
}  // namespace attend
