#include "attend/interchange/weights/element_type.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace attend {
namespace {

template <class Element>
std::vector<float> converted(ElementType type, const std::vector<Element>& elements) {
  std::vector<float> result(elements.size());
  convert_to_f32(type, std::as_bytes(std::span(elements)), result);
  return result;
}

TEST(ElementType, ConvertsEveryF16) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const std::vector<float> values = converted(ElementType::f16, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int exponent = (static_cast<int>(i) >> 10) & 31, fraction = static_cast<int>(i) & 1023;
    const float sign = i < 32768 ? 1.0f : -1.0f;
    ASSERT_EQ(std::signbit(values[i]), i >= 32768) << i;
    if (exponent == 31) {
      ASSERT_EQ(std::isnan(values[i]), fraction != 0) << i;
      ASSERT_EQ(std::isinf(values[i]), fraction == 0) << i;
    } else {
      const int whole = exponent == 0 ? fraction : fraction + 1024;
      ASSERT_EQ(values[i], sign * std::ldexp(static_cast<float>(whole), std::max(exponent, 1) - 25))
          << i;
    }
  }
}

TEST(ElementType, ConvertsWhatF32CannotHold) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(converted<double>(ElementType::f64, {0.1, 1e300, -1e300, 1e-300}),
            (std::vector<float>{0.1f, infinity, -infinity, 0.0f}));
  EXPECT_EQ(converted<std::int64_t>(ElementType::i64, {(std::int64_t{1} << 24) + 1, -3}),
            (std::vector<float>{16777216.0f, -3.0f}));
  EXPECT_EQ(converted<std::uint8_t>(ElementType::boolean, {0, 1, 2}),
            (std::vector<float>{0, 1, 1}));
  EXPECT_EQ(converted<std::uint16_t>(ElementType::bf16, {0x3f80, 0xc000}),
            (std::vector<float>{1, -2}));
}

TEST(ElementType, ReadsElementsAtAnyAddress) {
  std::vector<std::byte> bytes(9);
  const float value = 2.5f;
  std::memcpy(bytes.data() + 1, &value, sizeof value);
  std::vector<float> result(1);
  convert_to_f32(ElementType::f32, std::span(bytes).subspan(1, 4), result);
  EXPECT_EQ(result[0], 2.5f);
}

TEST(ElementType, KeepsWholeNumbersWhole) {
  const std::vector<std::int64_t> large{std::numeric_limits<std::int64_t>::max(), -1};
  std::vector<std::int64_t> result(2);
  convert_to_i64(ElementType::i64, std::as_bytes(std::span(large)), result);
  EXPECT_EQ(result, large);
}

TEST(ElementType, NamesAndSizesMatch) {
  for (const char* const name :
       {"F64", "F32", "F16", "BF16", "I64", "I32", "I16", "I8", "U8", "BOOL"})
    EXPECT_EQ(name_of(element_type(name).value()), name);
  EXPECT_FALSE(element_type("F8_E4M3"));
  EXPECT_EQ(size_of(ElementType::f64), 8u);
  EXPECT_EQ(size_of(ElementType::bf16), 2u);
  EXPECT_FALSE(is_integer(ElementType::bf16));
  EXPECT_TRUE(is_integer(ElementType::boolean));
}

TEST(CountElements, RefusesWhatCannotBeCounted) {
  using Shape64 = std::vector<std::int64_t>;
  EXPECT_EQ(count_elements(Shape64{}), 1u);
  EXPECT_EQ(count_elements(Shape64{2, 3}), 6u);
  EXPECT_EQ(count_elements(Shape64{0, std::numeric_limits<std::int64_t>::max()}), std::nullopt);
  EXPECT_EQ(count_elements(Shape64{0, 5}), 0u);
  EXPECT_EQ(count_elements(Shape64{2, -3}), std::nullopt);
  EXPECT_EQ(count_elements(Shape64{1 << 30, 1 << 30}), std::nullopt);
}

TEST(StridedLayout, KnowsRowsWithoutGaps) {
  EXPECT_TRUE((StridedLayout{{2, 3}, {3, 1}}).is_row_major());
  EXPECT_TRUE((StridedLayout{{2, 1, 3}, {3, 77, 1}}).is_row_major());
  EXPECT_FALSE((StridedLayout{{2, 3}, {1, 2}}).is_row_major());
  EXPECT_FALSE((StridedLayout{{2, 3}, {6, 1}}).is_row_major());
  EXPECT_EQ((StridedLayout{{2, 3}, {6, 1}}).extent(), 9u);
  EXPECT_EQ((StridedLayout{{0, 3}, {6, 1}}).extent(), 0u);
  EXPECT_EQ((StridedLayout{{}, {}}).extent(), 1u);
  EXPECT_EQ((StridedLayout{{3}, {std::numeric_limits<std::int64_t>::max()}}).extent(),
            std::nullopt);
}

TEST(StridedLayout, GathersElementsRowAfterRow) {
  const std::vector<std::uint16_t> from{0, 1, 2, 3, 4, 5};
  std::vector<std::uint16_t> to(6);
  gather({{3, 2}, {1, 3}}, 2, std::as_bytes(std::span(from)),
         std::as_writable_bytes(std::span(to)));
  EXPECT_EQ(to, (std::vector<std::uint16_t>{0, 3, 1, 4, 2, 5}));
}

TEST(ElementType, RoundsFloatsToTheNearestF16) {
  for (std::uint32_t half = 0; half < 0x7c00; ++half) {  // finite ones, and both signs
    const float x = f16_to_f32(static_cast<std::uint16_t>(half));
    ASSERT_EQ(f32_to_f16(x), half);
    ASSERT_EQ(f32_to_f16(-x), half | 0x8000u);
    if (half + 1 == 0x7c00) break;
    const float middle = x + (f16_to_f32(static_cast<std::uint16_t>(half + 1)) - x) / 2;
    ASSERT_EQ(f32_to_f16(middle), half + half % 2);  // ties to even
  }
  EXPECT_EQ(f32_to_f16(65519.0f), 0x7bffu);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00u);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xfc00u);
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::numeric_limits<float>::quiet_NaN()))));
}

}  // namespace
}  // namespace attend
