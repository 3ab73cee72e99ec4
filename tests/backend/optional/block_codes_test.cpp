#include "attend/backend/optional/block_codes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/random/random.h"

namespace attend {
namespace {

constexpr auto kSigned = BlockCode::signed_numbers, kPositive = BlockCode::positive_numbers;

struct Coded {
  Tensor codes, scales;
};

Coded coded(const std::vector<float>& x, BlockCode kind, std::uint64_t stream = 1) {
  const auto size = std::ssize(x);
  Coded result{Tensor::empty({size}, DType::u8),
               Tensor::empty({(size + kBlockOfCodes - 1) / kBlockOfCodes})};
  fast_backend().quantize_blocks(Tensor::from(x, {size}), kind, {3, stream}, result.codes,
                                 result.scales);
  return result;
}

std::vector<float> decoded(const Coded& of, BlockCode kind) {
  const Tensor x = Tensor::empty(of.codes.shape());
  fast_backend().dequantize_blocks(of.codes, of.scales, kind, x);
  return x.to_vector();
}

TEST(BlockCodes, AreOrderedAndLinearWithinAnOctave) {
  for (const BlockCode kind : {kSigned, kPositive}) {
    for (std::int32_t code = 0; code < block_codes::largest_code(kind); ++code) {
      const float low = block_codes::value_of_code(code),
                  high = block_codes::value_of_code(code + 1);
      ASSERT_LT(low, high);
      EXPECT_EQ(block_codes::exact_code(low), static_cast<std::uint32_t>(code) << 16);
      EXPECT_EQ(block_codes::exact_code((low + high) / 2),
                (static_cast<std::uint32_t>(code) << 16) + 0x8000u);
    }
    EXPECT_EQ(block_codes::value_of_code(block_codes::largest_code(kind)),
              block_codes::largest_value(kind));
  }
}

TEST(BlockCodes, AreNearTheirNumbers) {
  Random random({5, 1});
  std::vector<float> x;
  for (int i = 0; i < 1000; ++i)
    x.push_back(random.normal() * std::pow(10.0f, -static_cast<float>(i % 4)));
  const std::vector<float> y = decoded(coded(x, kSigned), kSigned);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(y[i], x[i], 0.126f * std::abs(x[i]) + 1e-4f) << i;
  std::vector<float> squares;
  for (const float value : x) squares.push_back(value * value);
  const std::vector<float> z = decoded(coded(squares, kPositive), kPositive);
  for (std::size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(z[i], squares[i], 0.126f * squares[i] + 1e-9f) << i;
}

TEST(BlockCodes, KeepTheLargestOfEveryBlock) {
  std::vector<float> x(600, 0.001f);
  x[17] = -3.0f;
  x[300] = 1e-20f;
  x[599] = 5.0f;
  const std::vector<float> y = decoded(coded(x, kSigned), kSigned);
  EXPECT_FLOAT_EQ(y[17], -3.0f);
  EXPECT_FLOAT_EQ(y[599], 5.0f);
}

TEST(BlockCodes, AreRightInTheMean) {
  const std::vector<float> x{1.0f, 0.7f, -0.33f, 0.011f, 1e-4f, 3e-6f};
  std::vector<double> sums(x.size());
  constexpr int kDraws = 4000;
  for (int i = 0; i < kDraws; ++i) {
    const std::vector<float> y = decoded(coded(x, kSigned, static_cast<std::uint64_t>(i)), kSigned);
    for (std::size_t j = 0; j < y.size(); ++j) sums[j] += y[j];
  }
  for (std::size_t j = 0; j < x.size(); ++j)
    EXPECT_NEAR(sums[j] / kDraws, x[j], 0.01 * std::abs(x[j]) + 2e-7) << j;
}

TEST(BlockCodes, OfPositiveNumbersAreNeverZero) {
  const std::vector<float> y = decoded(coded({1.0f, 1e-30f, 0.0f}, kPositive), kPositive);
  EXPECT_GT(y[1], 0.0f);
  EXPECT_LT(y[1], 2e-10f);
  EXPECT_EQ(y[2], 0.0f);
  EXPECT_EQ(decoded(coded({0.0f, 0.0f}, kPositive), kPositive), (std::vector<float>{0, 0}));
  EXPECT_EQ(decoded(coded({0.0f, 0.0f}, kSigned), kSigned), (std::vector<float>{0, 0}));
}

TEST(BlockCodes, DifferWithTheStreamAlone) {
  Random random({5, 2});
  std::vector<float> x(500);
  for (float& value : x) value = random.normal();
  EXPECT_EQ(decoded(coded(x, kSigned, 1), kSigned), decoded(coded(x, kSigned, 1), kSigned));
  EXPECT_NE(decoded(coded(x, kSigned, 1), kSigned), decoded(coded(x, kSigned, 2), kSigned));
}

}  // namespace
}  // namespace attend
