#include "attend/interchange/formats/ctranslate2_file.h"

#include <gtest/gtest.h>

#include <cstring>

#include "attend/error.h"
#include "core/memory_file.h"
#include "interchange/fixtures.h"
#include "interchange/written_ctranslate2.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

template <class Number>
std::string bytes_of_all(const std::vector<Number>& numbers) {
  std::string bytes;
  for (const Number number : numbers) bytes += bytes_of(number);
  return bytes;
}

std::string floats(const std::vector<float>& values) { return bytes_of_all(values); }

const std::vector<WrittenVariable> kSomeVariables{
    {"a/weight", 0, {2, 2}, floats({1, 2, 3, 4})},
    {"b/weight", 1, {2, 3}, bytes_of_all<std::int8_t>({127, -127, 0, 2, -4, 6})},
    {"b/weight_scale", 0, {2}, floats({127, 2})},
    {"c/weight", 2, {2, 1}, bytes_of_all<std::int16_t>({-8, 16})},
    {"c/weight_scale", 0, {}, floats({4})},
    {"d/beta", 4, {2}, bytes_of_all<std::uint16_t>({0x3c00, 0xc000})},
    {"e/gamma", 5, {2}, bytes_of_all<std::uint16_t>({0x3f80, 0xc000})},
    {"num_heads", 2, {}, bytes_of(std::int16_t{8})},
    {"rotary_dim", 3, {}, bytes_of(std::int32_t{70000})},
};

Ctranslate2File read(const std::string& bytes) { return read_ctranslate2_file(memory_file(bytes)); }

void expect_ct2_error(const std::string& bytes, std::initializer_list<std::string_view> fragments) {
  expect_error<DataError>([&] { read(bytes); }, fragments);
}

TEST(Ctranslate2File, HoldsEveryTypeAsFloats) {
  Ctranslate2File file = read(written_ctranslate2(kSomeVariables));
  EXPECT_EQ(file.specification, "TransformerSpec");
  EXPECT_EQ(file.revision, 7u);
  TensorTable& table = file.variables;
  EXPECT_EQ(table.tensors().size(), 7u);  // no factors
  expect_tensor(table, "a/weight", ElementType::f32, {2, 2}, {1, 2, 3, 4});
  expect_tensor(table, "b/weight", ElementType::f32, {2, 3}, {1, -1, 0, 1, -2, 3});
  expect_tensor(table, "c/weight", ElementType::f32, {2, 1}, {-2, 4});
  expect_tensor(table, "d/beta", ElementType::f16, {2}, {1, -2});
  expect_tensor(table, "e/gamma", ElementType::bf16, {2}, {1, -2});
  EXPECT_EQ(table.read_integers("num_heads"), std::vector<std::int64_t>{8});
  EXPECT_EQ(table.read_integers("rotary_dim"), std::vector<std::int64_t>{70000});
}

TEST(Ctranslate2File, HasAliasesOfWeightsAndTheirFactors) {
  Ctranslate2File file = read(written_ctranslate2(
      kSomeVariables, {{"x/weight", "b/weight"}, {"x/weight_scale", "b/weight_scale"}}));
  expect_tensor(file.variables, "x/weight", ElementType::f32, {2, 3}, {1, -1, 0, 1, -2, 3});
  expect_ct2_error(written_ctranslate2(kSomeVariables, {{"x", "y"}}),
                   {"'x' stands for 'y', which is no variable"});
  expect_ct2_error(written_ctranslate2(kSomeVariables, {{"a/weight", "b/weight"}}),
                   {"two tensors have the name 'a/weight'"});
}

// Before version 4, elements have a size and no type; before version 3, there are no aliases.
TEST(Ctranslate2File, ReadsOlderVersions) {
  const std::vector<WrittenVariable> variables{
      {"a/weight", 4, {2}, floats({1, -2})},
      {"b/weight", 1, {2}, bytes_of_all<std::int8_t>({2, 3})},
      {"b/weight_scale", 4, {2}, floats({1, 2})},
      {"c/weight", 2, {1}, bytes_of_all<std::int16_t>({500})},  // without a factor
  };
  for (const std::uint32_t version : {2u, 3u}) {
    TensorTable table = read(written_ctranslate2(variables, {}, version)).variables;
    expect_tensor(table, "a/weight", ElementType::f32, {2}, {1, -2});
    expect_tensor(table, "b/weight", ElementType::f32, {2}, {2, 1.5f});
    expect_tensor(table, "c/weight", ElementType::f32, {1}, {500 * (1.0f / 1000)});
  }
  for (const std::uint32_t version : {4u, 5u})
    EXPECT_EQ(read(written_ctranslate2(kSomeVariables, {}, version)).variables.tensors().size(),
              7u);
  expect_ct2_error(written_ctranslate2({}, {}, 1), {"expected version 2 to 6", "found 1"});
  expect_ct2_error(written_ctranslate2({}, {}, 7), {"found 7"});
}

TEST(Ctranslate2File, IsRefusedWhereverItIsCutShort) {
  const std::string whole = written_ctranslate2(kSomeVariables, {{"x", "a/weight"}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(read(whole.substr(0, size)), DataError) << size;
  expect_ct2_error(whole + "x", {"1 bytes follow its last variable"});
}

TEST(Ctranslate2File, ComparesShapesWithTheirData) {
  for (const std::vector<std::uint32_t>& shape :
       std::vector<std::vector<std::uint32_t>>{{3}, {~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}, {}})
    expect_ct2_error(written_ctranslate2({{"w", 0, shape, std::string(8, 'x')}}),
                     {"variable 'w': expected F32 [", "found 8 bytes"});
  expect_ct2_error(written_ctranslate2({{"w", 6, {1}, "x"}}),
                   {"variable 'w': expected elements of type 0 to 5, found 6"});
  expect_ct2_error(written_ctranslate2({{"w", 8, {1}, std::string(8, 'x')}}, {}, 3),
                   {"variable 'w': expected elements of 1, 2 or 4 bytes, found 8"});
}

TEST(Ctranslate2File, WantsFactorsThatFit) {
  const WrittenVariable weight{"w/weight", 1, {2, 1}, "ab"};
  expect_ct2_error(written_ctranslate2({weight}), {"'w/weight_scale'", "found no such variable"});
  expect_ct2_error(written_ctranslate2({weight, {"w/weight_scale", 0, {3}, floats({1, 2, 3})}}),
                   {"'w/weight_scale'", "a number for each row of [2, 1], found 3 F32"});
  expect_ct2_error(written_ctranslate2({weight, {"w/weight_scale", 3, {1}, bytes_of(1)}}),
                   {"'w/weight_scale'", "found 1 I32"});
  for (const float scale : {0.0f, -1.0f, std::numeric_limits<float>::infinity(),
                            std::numeric_limits<float>::quiet_NaN(), 1e-45f})
    expect_ct2_error(written_ctranslate2({weight, {"w/weight_scale", 0, {}, floats({scale})}}),
                     {"'w/weight_scale'", "factors above 0"});
}

TEST(Ctranslate2File, WantsNamesThatEnd) {
  std::string file = written_ctranslate2({{"name", 0, {1}, "1234"}});
  file.replace(file.find("name"), 4, std::string("n\0me", 4));
  expect_ct2_error(file, {"expected a text that ends with a zero byte, found 'n\\x00me\\x00'"});
}

}  // namespace
}  // namespace attend
