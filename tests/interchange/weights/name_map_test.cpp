#include "attend/interchange/weights/name_map.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr std::array kRules{NameRule{"encoder.layers.*.norm1.*", "h.*.ln_1.*"},
                            NameRule{"embedding.weight", "wte", ForeignLayout::transposed},
                            NameRule{"encoder.*", "rest.*"}};

TEST(NameMap, CarriesTheLayerAndTheRestOver) {
  const NameMap map(kRules);
  EXPECT_EQ(map.theirs("encoder.layers.11.norm1.weight").name, "h.11.ln_1.weight");
  EXPECT_EQ(map.theirs("embedding.weight").name, "wte");
  EXPECT_EQ(map.theirs("embedding.weight").layout, ForeignLayout::transposed);
}

TEST(NameMap, TakesTheFirstRuleThatFits) {
  const NameMap map(kRules);
  EXPECT_EQ(map.theirs("encoder.layers.x.norm1.weight").name, "rest.layers.x.norm1.weight");
  EXPECT_EQ(map.theirs("encoder.norm.bias").name, "rest.norm.bias");
}

TEST(NameMap, CarriesAWordOver) {
  constexpr std::array kStacks{NameRule{"#.layers.*.norm1.*", "#_l*_ln.*"}};
  const NameMap map(kStacks, 1);
  EXPECT_EQ(map.theirs("encoder.layers.2.norm1.weight").name, "encoder_l3_ln.weight");
  EXPECT_EQ(map.theirs("decoder.layers.0.norm1.bias").name, "decoder_l1_ln.bias");
  EXPECT_THROW(map.theirs("src_norm.layers.0.norm1.bias"), Error);
  EXPECT_THROW(map.theirs(".layers.0.norm1.bias"), Error);
}

TEST(NameMap, PutsAPrefixBeforeTheNamesOfLaterRules) {
  constexpr std::array kMore{NameRule{"decoder.*", "d.*"}, NameRule{"encoder.*", "other.*"}};
  NameMap map(kRules);
  map.add(kMore, "model.");
  EXPECT_EQ(map.theirs("decoder.norm.bias").name, "model.d.norm.bias");
  EXPECT_EQ(map.theirs("encoder.norm.bias").name, "rest.norm.bias");
}

TEST(NameMap, MayHaveOtherNamesOfOurs) {
  NameMap map(kRules);
  map.rename_ours("encoder.", "decoder.");
  EXPECT_EQ(map.theirs("decoder.layers.11.norm1.weight").name, "h.11.ln_1.weight");
  EXPECT_EQ(map.theirs("embedding.weight").name, "wte");
  EXPECT_THROW(map.theirs("encoder.norm.bias"), Error);
}

ForeignName part_of(const ForeignPart& part) { return {"parts", ForeignLayout::same, part}; }

TEST(RowsOfPart, AreInEveryGroup) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  const Tensor whole = Tensor::from(values, {8});
  const std::vector<float> expected{2, 3, 6, 7};
  EXPECT_EQ(rows_of_part(whole, part_of({.index = 1, .count = 2, .groups = 2})).to_vector(),
            expected);
}

// Two groups of two heads of queries and one of keys.
TEST(RowsOfPart, MayHaveSeveralShares) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5};
  const Tensor whole = Tensor::from(values, {6});
  const auto rows = [&](int index, int size) {
    return rows_of_part(whole, part_of({.index = index, .count = 3, .groups = 2, .size = size}))
        .to_vector();
  };
  EXPECT_EQ(rows(0, 2), (std::vector<float>{0, 1, 3, 4}));
  EXPECT_EQ(rows(2, 1), (std::vector<float>{2, 5}));
  expect_error<DataError>([&] { rows_of_part(whole, part_of({.count = 4})); }, {"6 rows", "4"});
}

ForeignName heads_of(const ForeignHeads& heads) {
  return {"heads", ForeignLayout::same, {}, heads};
}

// Ours are pairs of rows of both halves.
TEST(RowsOfPart, AreInOurOrderOfPairs) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Tensor whole = Tensor::from(values, {16});
  const auto ours = [&](const ForeignHeads& heads) {
    return rows_of_part(whole, heads_of(heads)).to_vector();
  };
  EXPECT_EQ(ours({2, 8, true}),
            (std::vector<float>{0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15}));
  EXPECT_EQ(ours({2, 8, false}), values);
  EXPECT_EQ(ours({2, 4, false}),
            (std::vector<float>{0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15}));
  EXPECT_EQ(ours({2, 4, true}),
            (std::vector<float>{0, 2, 4, 5, 1, 3, 6, 7, 8, 10, 12, 13, 9, 11, 14, 15}));
  for (const ForeignHeads& heads : {ForeignHeads{2, 4, true}, {1, 6, false}, {2, 0, false}}) {
    const Tensor ordered = rows_of_part(whole, heads_of(heads));
    EXPECT_EQ(in_their_order(ordered, heads).to_vector(), values) << "and back";
  }
  expect_error<DataError>([&] { ours({2, 10, true}); }, {"16 rows", "2 heads", "10"});
  expect_error<DataError>([&] { ours({3, 4, true}); }, {"16 rows", "3 heads"});
}

TEST(ReadParameter, TakesTheFirstRowsOfALargerTable) {
  const auto table_of = [](std::vector<std::int64_t> shape) {
    TensorTable table("here");
    table.add({"here", "wte", ElementType::f32, std::move(shape), [](std::span<std::byte> to) {
                 for (std::size_t i = 0; i < to.size() / 4; ++i)
                   reinterpret_cast<float*>(to.data())[i] = static_cast<float>(i);
               }});
    return table;
  };
  const ForeignName name{"wte", ForeignLayout::first_rows};
  TensorTable larger = table_of({5, 2}), equal = table_of({3, 2}), smaller = table_of({2, 2}),
              wider = table_of({5, 3});
  const std::vector<float> expected{0, 1, 2, 3, 4, 5};
  EXPECT_EQ(read_parameter(larger, name, {3, 2}).to_vector(), expected);
  EXPECT_NO_THROW(larger.require_all_used({}, "a model"));
  EXPECT_EQ(read_parameter(equal, name, {3, 2}).to_vector(), expected);
  expect_error<DataError>([&] { read_parameter(smaller, name, {3, 2}); }, {"wte", "[2, 2]"});
  expect_error<DataError>([&] { read_parameter(wider, name, {3, 2}); }, {"wte", "[5, 3]"});
}

TEST(ForeignTensors, AreWhatParametersAreReadFrom) {
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const Tensor matrix = Tensor::from(numbers, {3, 4});
  ForeignTensors tensors;
  tensors.add({"wide", ForeignLayout::transposed, {1, 3}}, matrix.slice_rows(1, 2));
  tensors.add({"plain"}, matrix);
  tensors.add({"wide", ForeignLayout::transposed, {2, 3}}, matrix.slice_rows(2, 3));
  tensors.add({"wide", ForeignLayout::transposed, {0, 3}}, matrix.slice_rows(0, 1));
  tensors.add({"row", ForeignLayout::one_row}, Tensor::from(std::span(numbers).first(2), {2}));
  tensors.add({"table", ForeignLayout::behind_two}, matrix.slice_rows(2, 3));
  const std::vector<NamedTensor> written = tensors.finish();
  ASSERT_EQ(written.size(), 4u);
  EXPECT_EQ(written[0].name, "wide");
  EXPECT_EQ(written[0].tensor.shape(), (Shape{4, 3}));
  EXPECT_EQ(written[0].tensor.to_vector(),
            (std::vector<float>{1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12}));
  EXPECT_EQ(written[1].tensor.to_vector(), numbers);
  EXPECT_EQ(written[2].tensor.shape(), (Shape{1, 2}));
  EXPECT_EQ(written[3].tensor.shape(), (Shape{3, 4}));
  EXPECT_EQ(written[3].tensor.to_vector(),
            (std::vector<float>{0, 0, 0, 0, 0, 0, 0, 0, 9, 10, 11, 12}));
}

// The rows q0 k0 q1 k1 of two heads.
TEST(ForeignTensors, MayHavePartsInGroups) {
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6, 7, 8};
  const Tensor keys = Tensor::from(std::span(numbers).first(4), {2, 2}),
               queries = Tensor::from(std::span(numbers).last(4), {2, 2});
  const ForeignName of_keys{"heads", ForeignLayout::same, {1, 2, 2}},
      of_queries{"heads", ForeignLayout::same, {0, 2, 2}};
  ForeignTensors tensors;
  tensors.add(of_keys, keys);
  tensors.add(of_queries, queries);
  const Tensor whole = tensors.finish().at(0).tensor;
  EXPECT_EQ(whole.to_vector(), (std::vector<float>{5, 6, 1, 2, 7, 8, 3, 4}));
  TensorTable table("here");
  table.add({"here", "heads", ElementType::f32, {4, 2}, [&](std::span<std::byte> to) {
               std::memcpy(to.data(), whole.data(), to.size());
             }});
  EXPECT_EQ(read_parameter(table, of_keys, {2, 2}).to_vector(), keys.to_vector());
  EXPECT_EQ(read_parameter(table, of_queries, {2, 2}).to_vector(), queries.to_vector());
  EXPECT_THROW(read_parameter(table, {"heads", ForeignLayout::same, {0, 4, 2}}, {1, 2}), Error);
}

TEST(ForeignTensors, MayHavePartsOfOtherSizesAndOrders) {
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const ForeignName of_queries{"qkv", ForeignLayout::same, {0, 3, 1, 2}, {2, 2, true}},
      of_keys{"qkv", ForeignLayout::same, {2, 3}, {}};
  ForeignTensors tensors;
  tensors.add(of_queries, Tensor::from(std::span(numbers).first(4), {4}));
  tensors.add(of_keys, Tensor::from(std::span(numbers).last(2), {2}));
  EXPECT_EQ(tensors.finish().at(0).tensor.to_vector(), numbers);
}

TEST(ForeignTensors, NeedAllTheirParts) {
  ForeignTensors tensors;
  tensors.add({"bias", ForeignLayout::same, {0, 2}}, Tensor::zeros({2}));
  EXPECT_THROW(tensors.finish(), Error);
}

TEST(NameMap, RefusesWhatNoRuleNames) {
  const NameMap map(kRules);
  EXPECT_THROW(map.theirs("embedding.weights"), Error);
  EXPECT_THROW(map.theirs("decoder.norm.bias"), Error);
}

TEST(NameMap, CountsLayersFromTheirFirst) {
  const NameMap map(kRules, 1);
  EXPECT_EQ(map.theirs("encoder.layers.0.norm1.weight").name, "h.1.ln_1.weight");
  EXPECT_EQ(map.theirs("encoder.layers.9.norm1.weight").name, "h.10.ln_1.weight");
}

ForeignTensor of_values(std::string name, std::vector<std::int64_t> shape) {
  return {.file = "here",
          .name = std::move(name),
          .type = ElementType::f32,
          .shape = std::move(shape),
          .read = [](std::span<std::byte> to) {
            for (std::size_t i = 0; i < to.size() / sizeof(float); ++i) {
              const auto value = static_cast<float>(i + 1);
              std::memcpy(to.data() + i * sizeof(float), &value, sizeof value);
            }
          }};
}

TEST(ReadParameter, AddsARowThatTheOtherProgramDoesNotHave) {
  TensorTable weights("here");
  weights.add(of_values("table", {2, 2}));
  weights.add(of_values("output", {2, 3}));
  weights.add(of_values("bias", {1, 2}));
  EXPECT_EQ(read_parameter(weights, {"table", ForeignLayout::but_one}, {3, 2}).to_vector(),
            (std::vector<float>{1, 2, 3, 4, 0, 0}));
  EXPECT_EQ(
      read_parameter(weights, {"output", ForeignLayout::but_one_transposed}, {4, 2}).to_vector(),
      (std::vector<float>{1, 4, 2, 5, 3, 6, 0, 0}));
  const Tensor bias = read_parameter(weights, {"bias", ForeignLayout::but_one_row}, Shape{3});
  EXPECT_EQ(bias.shape(), Shape{3});
  EXPECT_EQ(bias.to_vector()[1], 2.0f);
  EXPECT_LT(bias.to_vector()[2], -1e8f);
  EXPECT_THROW(read_parameter(weights, {"table", ForeignLayout::but_one}, {2, 2}), DataError);
}

}  // namespace
}  // namespace attend
