// What is in the files that tools/make_interchange_fixtures.py has written.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "attend/checkpoint/safetensors/file_content.h"
#include "attend/interchange/weights/tensor_table.h"
#include "interchange/fixture_files.h"

namespace attend {

inline std::shared_ptr<const InputFile> open_fixture(std::string_view name) {
  return std::make_shared<const InputFile>(fixture(name));
}

// The script's ramp(): numbers that every floating-point type holds exactly.
inline std::vector<float> ramp(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>((7 * i) % 17 - 8) / 4);
  return values;
}

// The script's whole().
inline std::vector<float> whole(int count, float more = 0) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(static_cast<float>((5 * i) % 11 - 3) + more);
  return values;
}

inline std::vector<float> positive(int count) {
  std::vector<float> values = whole(count);
  for (float& value : values) value = value > 0 ? 1 : 0;
  return values;
}

// Chosen elements of the 4 x 6 matrix that others are views of.
inline std::vector<float> of_base(std::initializer_list<int> indices) {
  const std::vector<float> base = ramp(24);
  std::vector<float> values;
  for (const int i : indices) values.push_back(base[static_cast<std::size_t>(i)]);
  return values;
}

// Shape, element type and bits; a NaN is like any other.
inline void expect_tensor(TensorTable& table, std::string_view name, ElementType type,
                          const Shape& shape, const std::vector<float>& expected) {
  SCOPED_TRACE(name);
  ASSERT_TRUE(table.contains(name));
  EXPECT_EQ(table.find(name)->type, type);
  const Tensor tensor = table.read(name, shape);
  const std::vector<float> values = tensor.to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(values[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(values[i]), std::bit_cast<std::uint32_t>(expected[i]))
          << "element " << i << ": " << values[i] << " for " << expected[i];
    }
  }
}

// The script's typed_tensors().
inline void expect_typed_tensors(TensorTable& table) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  expect_tensor(table, "f64", ElementType::f64, {2, 3}, ramp(6));
  expect_tensor(table, "f32", ElementType::f32, {3, 4}, ramp(12));
  expect_tensor(table, "f16", ElementType::f16, {5}, ramp(5));
  expect_tensor(table, "bf16", ElementType::bf16, {2, 2}, ramp(4));
  expect_tensor(table, "i64", ElementType::i64, {3}, whole(3));
  expect_tensor(table, "i32", ElementType::i32, {2, 2}, whole(4));
  expect_tensor(table, "i16", ElementType::i16, {3}, whole(3));
  expect_tensor(table, "i8", ElementType::i8, {4}, whole(4));
  expect_tensor(table, "u8", ElementType::u8, {4}, whole(4, 200));
  expect_tensor(table, "bool", ElementType::boolean, {5}, positive(5));
  expect_tensor(table, "scalar", ElementType::f32, {}, {2.5f});
  expect_tensor(table, "empty", ElementType::f32, {0, 3}, {});
  expect_tensor(table, "special", ElementType::f32, {5},
                {kNan, kInfinity, -kInfinity, -0.0f, std::bit_cast<float>(1u)});
  expect_tensor(table, "f16_special", ElementType::f16, {6},
                {kNan, kInfinity, -kInfinity, -0.0f, 0x1p-24f, 65504.0f});
}

}  // namespace attend
