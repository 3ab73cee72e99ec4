#include "attend/interchange/name_map.h"

#include <gtest/gtest.h>

#include <array>

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

TEST(NameMap, PutsAPrefixBeforeTheNamesOfLaterRules) {
  constexpr std::array kMore{NameRule{"decoder.*", "d.*"}, NameRule{"encoder.*", "other.*"}};
  NameMap map(kRules);
  map.add(kMore, "model.");
  EXPECT_EQ(map.theirs("decoder.norm.bias").name, "model.d.norm.bias");
  EXPECT_EQ(map.theirs("encoder.norm.bias").name, "rest.norm.bias");
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

TEST(NameMap, RefusesWhatNoRuleNames) {
  const NameMap map(kRules);
  EXPECT_THROW(map.theirs("embedding.weights"), Error);
  EXPECT_THROW(map.theirs("decoder.norm.bias"), Error);
}

}  // namespace
}  // namespace attend
