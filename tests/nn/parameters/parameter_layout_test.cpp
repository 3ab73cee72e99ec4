#include "attend/nn/parameters/parameter_layout.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Use = ParameterEntry::Use;

TEST(ParameterLayout, FindsEntriesByTheirNames) {
  ParameterLayout layout;
  layout.add("a", {2, 3}, {}, Use::product);
  layout.add("b", {5}, {}, Use::other);
  EXPECT_EQ(layout.size(), 11);
  EXPECT_EQ(layout.find("b"), 1u);
  EXPECT_EQ(layout.find("c"), std::nullopt);
  EXPECT_EQ(layout.entries()[1].offset, 6);
}

TEST(ParameterLayout, RefusesMoreThanAnyMachineHolds) {
  ParameterLayout layout;
  const Shape half{std::int64_t{1} << 24, std::int64_t{1} << 23};
  layout.add("small", {8}, {}, Use::other);
  expect_error<ConfigError>(
      [&] {
        layout.add("huge", {std::int64_t{1} << 31, std::int64_t{1} << 31}, {}, Use::other);
      },
      {"huge", "too large"});
  layout.add("large", half, {}, Use::other);
  expect_error<ConfigError>([&] { layout.add("larger", half, {}, Use::other); },
                            {"larger", "too large"});
}

TEST(ParameterLayout, RefusesNamesUsedTwiceAndStacksOfStrangers) {
  ParameterLayout layout;
  layout.add("a.weight", {2}, {}, Use::other);
  layout.add("b.weight", {2}, {}, Use::other);
  expect_error<ConfigError>([&] { layout.add("a.weight", {3}, {}, Use::other); },
                            {"a.weight", "twice"});
  expect_error<ConfigError>([&] { layout.stack("b.weight", "a.weight"); },
                            {"b.weight", "a.weight"});
  expect_error<ConfigError>([&] { layout.stack("a.weight", "c.weight"); }, {"c.weight"});
}

TEST(ParameterLayout, RefusesToStackPartsOfDifferentWidths) {
  ParameterLayout layout;
  layout.add("a", {2, 3}, {}, Use::product);
  layout.add("b", {2, 4}, {}, Use::product);
  layout.add("c", {4}, {}, Use::other);
  expect_error<ConfigError>([&] { layout.stack("a", "b"); }, {"a", "b", "[2, 3]", "[2, 4]"});
  expect_error<ConfigError>([&] { layout.stack("b", "c"); }, {"[2, 4]", "[4]"});
}

TEST(ParameterLayout, LeavesOutFrozenParametersAmongGradients) {
  ParameterLayout layout;
  for (const char* const name : {"a", "b", "c"}) layout.add(name, {4}, {}, Use::other);
  layout.freeze({"a", "b"});
  EXPECT_EQ(layout.gradient_offset(layout.entries()[2]), 0);
  EXPECT_EQ(layout.entries()[2].offset, 8);
}

TEST(ParameterLayout, FreezesAllOfAStackOrNothing) {
  ParameterLayout layout;
  layout.add("q", {2, 2}, {}, Use::product);
  layout.add("k", {2, 2}, {}, Use::product);
  layout.stack("q", "k");
  expect_error<ConfigError>([&] { layout.freeze({"q"}); }, {"q", "k", "all or none"});
  expect_error<ConfigError>([&] { layout.freeze({"v"}); }, {"v", "expected the name"});
}

TEST(ParameterLayout, KeepsABufferForEachType) {
  ParameterLayout layout;
  layout.add("a", {2, 32}, {}, Use::product);
  layout.add("b", {2, 32}, {}, Use::product);
  layout.add("c", {7}, {}, Use::other);
  const auto sizes = layout.lay_out({{"a", DType::i8}, {"b", DType::bf16}});
  EXPECT_EQ(sizes.at(DType::f32), 7);
  EXPECT_EQ(sizes.at(DType::bf16), 64);
  EXPECT_EQ(sizes.at(DType::i8), 2 * (32 + 4)) << "every row has its scale";
  expect_error<ConfigError>([&] { layout.lay_out({{"c", DType::i8}}); }, {"c", "matrix"});
}

TEST(ParameterLayout, PacksAStackOnlyIfItsPartsAreWholeBlocks) {
  ParameterLayout layout;
  for (const char* const name : {"a", "b", "c"}) layout.add(name, {24, 4}, {}, Use::product);
  layout.stack("a", "b");
  const auto blocks = [&layout](std::int64_t block) {
    return layout.packed_row_blocks([block](const ParameterEntry&) { return block; });
  };
  EXPECT_EQ(blocks(16), (std::vector<std::int64_t>{0, 0, 16}));
  EXPECT_EQ(blocks(8), (std::vector<std::int64_t>{8, 8, 8}));
}

}  // namespace
}  // namespace attend
