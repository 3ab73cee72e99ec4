#include "attend/backend/cpu/packed_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/backend/cpu/grouped_weights.h"
#include "attend/error.h"
#include "backend/operands.h"

namespace attend {
namespace {

Tensor numbered(std::int64_t rows, std::int64_t columns) {
  const Tensor weights = Tensor::empty({rows, columns});
  for (std::int64_t i = 0; i < weights.size(); ++i)
    weights.data()[i] = static_cast<float>(i % 251) - 125.0f;
  return weights;
}

TEST(PackedWeights, HoldTheNumbersOfAColumnSideBySideAndTheLastRowsAsTheyWere) {
  const Tensor rows = numbered(35, 3), memory = rows.clone();
  const Tensor panels = pack_weights(memory);
  EXPECT_EQ(panels.shape(), rows.shape());
  EXPECT_EQ(panels.bytes(), memory.bytes()) << "in place";
  EXPECT_EQ(packed_rows(panels), 32);
  EXPECT_EQ(memory.data()[0], rows.row(0)[0]);
  EXPECT_EQ(memory.data()[1], rows.row(1)[0]);
  EXPECT_EQ(memory.data()[16], rows.row(0)[1]);
  EXPECT_EQ(memory.data()[16 * 3 + 2 * 16 + 5], rows.row(16 + 5)[2]) << "the second panel";
  EXPECT_EQ(memory.row(34)[1], rows.row(34)[1]);
}

// Of every type, with more columns than are moved at a time, and rows after the last panel.
TEST(PackedWeights, AreTurnedBackIntoRows) {
  const Tensor wide = numbered(35, 80), halves = Tensor::empty({35, 80}, DType::bf16);
  backend()->convert(wide, halves);
  for (const Tensor& rows : {wide, halves, quantize_weights(wide), group_weights(wide)}) {
    const Tensor memory = rows.clone(), unpacked = rows_of_panels(pack_weights(memory));
    const std::size_t bytes = static_cast<std::size_t>(rows.size()) * size_of(rows.dtype());
    EXPECT_EQ(unpacked.dtype(), rows.dtype());
    EXPECT_EQ(unpacked.shape(), rows.shape());
    EXPECT_EQ(std::memcmp(unpacked.bytes(), rows.bytes(), bytes), 0) << name_of(rows.dtype());
    EXPECT_NE(std::memcmp(memory.bytes(), rows.bytes(), bytes), 0) << name_of(rows.dtype());
  }
}

TEST(PackedWeights, HoldFourNeighborsOfEightBitsWithoutSignAndThenTheScales) {
  const Tensor rows = quantize_weights(numbered(16, 8)), memory = rows.clone();
  pack_weights(memory);
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

TEST(PackedWeights, OfFewRowsArePaddedToAPanelOfTheSameValues) {
  for (const std::int64_t rows : {1, 5, 16}) {
    for (const Tensor& some :
         {quantize_weights(numbered(rows, 7)), quantize_weights(numbered(rows, 8)),
          group_weights(numbered(rows, 48))}) {
      const Tensor panel = padded_panel(some), values = float_weights(panel);
      const std::int64_t columns = weight_columns(some);
      EXPECT_EQ(packed_rows(panel), 16);
      EXPECT_TRUE(
          same_bits(values.slice_rows(0, rows).slice_columns(0, columns), float_weights(some)));
      for (std::int64_t row = 0; row < 16; ++row) {
        for (std::int64_t i = row < rows ? columns : 0; i < values.cols(); ++i)
          EXPECT_EQ(values.row(row)[i], 0.0f) << row << ", " << i;
      }
    }
  }
}

TEST(PackedWeights, HoldHalvesOfBytesThenTheFactorsAndThenTheScales) {
  const Tensor rows = group_weights(numbered(32, 32)), memory = rows.clone();
  EXPECT_EQ(pack_weights(memory).dtype(), DType::packed_i4);
  const std::byte* panel = memory.row_bytes(16);  // the second
  EXPECT_EQ(panel[3], rows.row_bytes(16)[3]);
  EXPECT_EQ(panel[4], rows.row_bytes(17)[0]);
  EXPECT_EQ(panel[64 + 4 * 7 + 1], rows.row_bytes(16 + 7)[5]);
  EXPECT_EQ(panel[16 * 16 + 9], rows.row_bytes(16 + 9)[16]) << "factors";
  EXPECT_EQ(std::memcmp(panel + 16 * 17 + 4 * 9, rows.row_bytes(16 + 9) + 17, 4), 0) << "scale";
}

TEST(PackedWeights, GiveTheirRowsInFourBitsBack) {
  const std::vector<std::int32_t> some{33, 0, 17, 16, 0, 15};
  for (const std::int64_t columns : {16, 48, 64, 512}) {
    const Tensor rows = group_weights(numbered(34, columns)), panels = pack_weights(rows.clone());
    EXPECT_TRUE(is_packed(panels) && is_quantized(panels));
    EXPECT_EQ(weight_columns(panels), columns);
    EXPECT_TRUE(same_bits(unpack_weights(panels), rows));
    EXPECT_TRUE(same_bits(select_weights(panels, some), select_weights(rows, some)));
    EXPECT_EQ(float_weights(panels).to_vector(),
              dequantize_weights(in_eight_bits(rows)).to_vector());
    EXPECT_TRUE(same_bits(unpack_weights(panels.slice_rows(16, 32)), rows.slice_rows(16, 32)));
  }
}

TEST(PackedWeights, GiveTheirRowsBack) {
  const std::vector<std::int32_t> some{33, 0, 17, 16, 0, 15};
  for (const std::int64_t columns : {1, 2, 8, 64}) {
    const Tensor rows = numbered(34, columns), panels = pack_weights(rows.clone());
    EXPECT_EQ(unpack_weights(panels).to_vector(), rows.to_vector());
    EXPECT_EQ(float_weights(panels).to_vector(), rows.to_vector());
    const Tensor chosen = select_weights(panels, some);
    for (std::size_t n = 0; n < some.size(); ++n)
      EXPECT_EQ(chosen.row(static_cast<std::int64_t>(n))[0], rows.row(some[n])[0])
          << "row " << some[n] << " of " << columns << " columns";
    EXPECT_EQ(chosen.to_vector(), select_weights(rows, some).to_vector());

    const Tensor halves = stored_weights(rows, DType::bf16, false),
                 half_panels = pack_weights(halves.clone());
    EXPECT_EQ(half_panels.dtype(), DType::packed_bf16);
    EXPECT_EQ(float_weights(half_panels).to_vector(), float_weights(halves).to_vector());
    EXPECT_EQ(float_weights(select_weights(half_panels, some)).to_vector(),
              float_weights(select_weights(halves, some)).to_vector());

    const Tensor quantized = quantize_weights(rows);
    if (columns % 4 != 0) {
      EXPECT_FALSE(can_pack(quantized));
      continue;
    }
    const Tensor quantized_panels = pack_weights(quantized.clone());
    EXPECT_TRUE(is_quantized(quantized_panels));
    EXPECT_EQ(float_weights(quantized_panels).to_vector(), float_weights(quantized).to_vector());
    EXPECT_EQ(dequantize_weights(select_weights(quantized_panels, some)).to_vector(),
              dequantize_weights(select_weights(quantized, some)).to_vector());
  }
}

TEST(PackedWeights, OfARangeOfWholePanelsAreThoseRows) {
  const Tensor rows = numbered(64, 8), part = pack_weights(rows.clone()).slice_rows(16, 48);
  EXPECT_EQ(unpack_weights(part).to_vector(), rows.slice_rows(16, 48).to_vector());
}

TEST(PackedWeights, AreNotTakenForRows) {
  const Tensor packed = pack_weights(numbered(16, 8));
  EXPECT_THROW(packed.data(), ShapeError);
  EXPECT_FALSE(can_pack(packed));
}

TEST(PackedWeights, NeedARowOfMemoryForEveryRowOfAPanel) {
  for (const Tensor& weights :
       {numbered(15, 8), Tensor::empty({64}), numbered(32, 8).slice_columns(0, 4),
        Tensor::empty({16, 8}, DType::i32)}) {
    const Tensor as_they_are = pack_weights(weights);
    EXPECT_FALSE(is_packed(as_they_are)) << to_string(weights.shape());
    EXPECT_EQ(as_they_are.bytes(), weights.bytes());
  }
}

TEST(SelectedWeights, AreNumbersOrNumbersInEightBits) {
  const std::vector<std::int32_t> rows{0};
  EXPECT_THROW(select_weights(Tensor::empty({16, 8}, DType::i32), rows), ShapeError);
}

// Either backend of the CPU takes what the other has made.
class CpuWeights : public testing::TestWithParam<Backend*> {};

TEST_P(CpuWeights, ArePackedInBlocksOfRows) {
  Backend& b = *GetParam();
  const std::int64_t block = b.packed_row_block(numbered(35, 8));
  EXPECT_EQ(block, kPanelRows);
  EXPECT_EQ(b.packed_row_block(numbered(15, 8)), 0);
  const Tensor rows = numbered(35, 8), packed = b.pack_weights(rows.clone());
  EXPECT_TRUE(is_packed(packed));
  EXPECT_EQ(b.float_weights(packed).to_vector(), rows.to_vector());
  EXPECT_EQ(b.float_weights(packed.slice_rows(block, 35)).to_vector(),
            rows.slice_rows(block, 35).to_vector());
  const std::vector<std::int32_t> some{34, 3};
  EXPECT_EQ(b.select_weights(packed, some).slice_rows(0, 1).to_vector(),
            rows.slice_rows(34, 35).to_vector());
}

TEST_P(CpuWeights, AreSplitIntoNumbersAndScalesAndJoinedAgain) {
  Backend& b = *GetParam();
  const Tensor weights = b.quantize_weights(numbered(5, 7), DType::i8);
  const QuantizedParts parts = b.split_quantized(weights);
  EXPECT_EQ(parts.numbers.shape(), (Shape{5, 7}));
  EXPECT_FALSE(parts.factors.defined());
  EXPECT_EQ(parts.scales.data()[4], quantized_scale(weights, 4));
  EXPECT_EQ(parts.numbers.row<std::int8_t>(4)[6], weights.row<std::int8_t>(4)[6]);
  const Tensor again = Tensor::empty(weights.shape(), DType::i8);
  b.join_quantized(parts, again);
  EXPECT_TRUE(same_bits(again, weights));
}

TEST_P(CpuWeights, AreSplitIntoHalvesFactorsAndScalesAndJoinedAgain) {
  Backend& b = *GetParam();
  const Tensor weights = b.quantize_weights(numbered(5, 48), DType::i4);
  EXPECT_TRUE(same_bits(weights, group_weights(numbered(5, 48))));
  const QuantizedParts parts = b.split_quantized(weights);
  EXPECT_EQ(parts.numbers.shape(), (Shape{5, 24}));
  EXPECT_EQ(parts.factors.shape(), (Shape{5, 2}));
  EXPECT_EQ(parts.scales.data()[4], quantized_scale(weights, 4));
  EXPECT_EQ(parts.factors.row_bytes(4)[1], weights.row_bytes(4)[25]);
  const Tensor again = Tensor::empty(weights.shape(), DType::i4);
  b.join_quantized(parts, again);
  EXPECT_TRUE(same_bits(again, weights));
}

INSTANTIATE_TEST_SUITE_P(Backends, CpuWeights,
                         testing::Values(&reference_backend(), &fast_backend()),
                         [](const auto& suite) { return std::string(suite.param->name()); });

}  // namespace
}  // namespace attend
