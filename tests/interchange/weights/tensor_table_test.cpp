#include "attend/interchange/weights/tensor_table.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "attend/error.h"
#include "interchange/fixtures.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

ForeignTensor tensor_of(std::string name, std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return {.file = "dir/model.bin",
          .name = std::move(name),
          .type = ElementType::f32,
          .shape = {count},
          .read = [values](std::span<std::byte> to) {
            std::memcpy(to.data(), values.data(), to.size());
          }};
}

TensorTable three_tensors() {
  TensorTable table("dir/model.bin");
  table.add(tensor_of("layers.0.weight", {1, 2}));
  table.add(tensor_of("layers.11.weight", {3}));
  table.add(tensor_of("layers.0.attn.bias", {4}));
  return table;
}

TEST(TensorTable, GivesTensorsByName) {
  TensorTable table = three_tensors();
  EXPECT_EQ(table.read("layers.0.weight").to_vector(), (std::vector<float>{1, 2}));
  EXPECT_EQ(table.read("layers.11.weight", {1}).item(), 3);
  EXPECT_FALSE(table.contains("layers.1.weight"));
  EXPECT_EQ(table.tensors().size(), 3u);
}

TEST(TensorTable, NamesTheTensorThatIsMissingOrOfAnotherShape) {
  TensorTable table = three_tensors();
  expect_error<DataError>([&] { table.read("layers.1.weight"); },
                          {"dir/model.bin: expected a tensor 'layers.1.weight'"});
  expect_error<DataError>(
      [&] {
        table.read("layers.0.weight", {2, 1});
      },
      {"dir/model.bin: tensor 'layers.0.weight': expected [2, 1], found [2]"});
}

TEST(TensorTable, TakesEveryNameOnce) {
  TensorTable table = three_tensors();
  expect_error<DataError>([&] { table.add(tensor_of("layers.0.weight", {1})); },
                          {"two tensors have the name 'layers.0.weight'"});
}

TEST(TensorTable, NamesATensorThatNobodyHasUsed) {
  TensorTable table = three_tensors();
  const std::array<std::string_view, 1> ignorable = {"layers.*.attn.bias"};
  table.read("layers.0.weight");
  expect_error<DataError>([&] { table.require_all_used({}, "a model"); },
                          {"dir/model.bin: expected the tensors of a model, found also "
                           "'layers.11.weight' F32 [1] and 1 "
                           "more"});
  expect_error<DataError>([&] { table.require_all_used(ignorable, "a model"); },
                          {"found also 'layers.11.weight' F32 [1]"});
  table.read("layers.11.weight");
  table.require_all_used(ignorable, "a model");
}

TEST(TensorTable, AStarStandsForNoDot) {
  TensorTable table = three_tensors();
  table.read("layers.0.weight");
  table.read("layers.11.weight");
  for (const std::string_view pattern :
       {"layers.*.bias", "*", "layers.0.attn", "layers.0.attn.bias.*"}) {
    const std::array<std::string_view, 1> ignorable = {pattern};
    expect_error<DataError>([&] { table.require_all_used(ignorable, "a model"); }, {"attn.bias"});
  }
  for (const std::string_view pattern :
       {"layers.*.*.bias", "*.0.attn.bias", "layers.0.attn.bias*"}) {
    const std::array<std::string_view, 1> ignorable = {pattern};
    table.require_all_used(ignorable, "a model");
  }
}

TEST(TensorTable, LookingIsNotUsing) {
  TensorTable table("model.bin");
  table.add(tensor_of("w", {1}));
  EXPECT_EQ(table.find("w")->bytes(), 4u);
  expect_error<DataError>([&] { table.require_all_used({}, "a model"); }, {"found also 'w'"});
}

TEST(TensorTable, ReadsTextAndWholeNumbersOnlyOfTheirTypes) {
  TensorTable table("model.bin");
  ForeignTensor text = tensor_of("text", {});
  text.type = ElementType::u8;
  text.shape = {6};
  text.read = [](std::span<std::byte> to) { std::memcpy(to.data(), "a: 1\0\0", 6); };
  table.add(text);
  table.add(tensor_of("w", {1}));
  EXPECT_EQ(table.read_text("text"), "a: 1");
  EXPECT_EQ(table.read_integers("text"), (std::vector<std::int64_t>{'a', ':', ' ', '1', 0, 0}));
  expect_error<DataError>([&] { table.read_text("w"); },
                          {"tensor 'w': expected text in elements I8 or U8, found F32"});
  expect_error<DataError>([&] { table.read_integers("w"); },
                          {"tensor 'w': expected whole numbers, found elements F32"});
}

TEST(TensorTable, RefusesMoreDimensionsThanATensorHas) {
  TensorTable table("model.bin");
  ForeignTensor deep = tensor_of("deep", {1});
  deep.shape = {1, 1, 1, 1, 1};
  table.add(deep);
  expect_error<DataError>([&] { table.read("deep"); },
                          {"tensor 'deep': expected at most 4 dimensions, found [1, 1, 1, 1, 1]"});
}

}  // namespace
}  // namespace attend
