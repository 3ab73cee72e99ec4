#include "attend/nn/attention/attention_projections.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "attend/error.h"
#include "ops/operands.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// Four heads of queries of width 8, two of keys of width 8 and of values of width 4.
MultiHeadAttentionOptions grouped() {
  MultiHeadAttentionOptions options;
  options.d_model = options.d_memory = 32;
  options.n_heads = 4;
  options.n_key_heads = 2;
  options.d_key = 8;
  options.d_value = 4;
  return options;
}

Tensor input(std::int64_t rows) {
  Random random({1, 2});
  const Tensor x = Tensor::empty({rows, 32});
  fill_normal(x, random);
  return x;
}

TEST(AttentionProjections, ProjectOneInputAsTheyProjectTwo) {
  ParameterSet parameters;
  const AttentionProjections projections(parameters, "attn", grouped());
  parameters.allocate(3);
  const Variable x(input(5));
  const auto [queries, keys_values] = projections.self(x, {});
  EXPECT_EQ(queries.value().shape(), (Shape{5, 32}));
  EXPECT_EQ(keys_values.keys.value().shape(), (Shape{5, 16}));
  EXPECT_EQ(keys_values.values.value().shape(), (Shape{5, 8}));
  const auto two = projections.self({x, x}, {});
  EXPECT_EQ(two.queries.value().to_vector(), queries.value().to_vector());
  EXPECT_EQ(projections.queries(x).value().to_vector(), queries.value().to_vector());
  EXPECT_EQ(projections.keys_values(x).values.value().to_vector(),
            keys_values.values.value().to_vector());
}

TEST(AttentionProjections, RotateQueriesAndKeysButNoValues) {
  ParameterSet parameters, turned_parameters;
  MultiHeadAttentionOptions options = grouped();
  const AttentionProjections plain(parameters, "attn", options);
  options.rotary.emplace();
  const AttentionProjections rotary(turned_parameters, "attn", options);
  parameters.allocate(3);
  turned_parameters.allocate(3);
  const Variable x(input(2));
  const std::vector<std::int32_t> positions{4, 5};
  const auto a = plain.self(x, positions), b = rotary.self(x, positions);
  EXPECT_NE(a.queries.value().to_vector(), b.queries.value().to_vector());
  EXPECT_NE(a.keys_values.keys.value().to_vector(), b.keys_values.keys.value().to_vector());
  EXPECT_EQ(a.keys_values.values.value().to_vector(), b.keys_values.values.value().to_vector());
}

TEST(AttentionProjections, StoreValuesBehindKeys) {
  ParameterSet parameters;
  const AttentionProjections projections(parameters, "attn", grouped());
  parameters.allocate_for_inference();
  for (float& weight : parameters.values().span()) weight = 0.25f;
  const KeysValues both = projections.keys_values(Variable(input(3)));
  const Tensor stored = projections.stored(both);
  ASSERT_EQ(stored.shape(), (Shape{3, 16 + 8}));
  const std::int64_t begin = projections.stored_values_begin(stored.dtype());
  EXPECT_EQ(stored.slice_columns(begin, stored.cols()).to_vector(),
            both.values.value().to_vector());
}

TEST(AttentionProjections, RoundWhatACacheKeepsOnlyWithRoundedWeights) {
  ParameterSet parameters;
  const AttentionProjections projections(parameters, "attn", grouped());
  parameters.allocate_for_inference({{"attn.q_proj.weight", DType::i8},
                                     {"attn.k_proj.weight", DType::i8},
                                     {"attn.v_proj.weight", DType::i8}});
  for (const ParameterEntry& entry : parameters.entries()) {
    const Tensor value = parameters.value(entry);
    std::memset(value.bytes(), 0, static_cast<std::size_t>(value.size()) * size_of(value.dtype()));
  }
  const Tensor stored = projections.stored(projections.keys_values(Variable(input(3))));
  EXPECT_EQ(stored.dtype(), DType::i8);
  EXPECT_EQ(stored.cols(), 2 * (8 + 4) + 2 * (4 + 4)) << "every head has its scale";
  EXPECT_EQ(projections.stored_values_begin(DType::i8), 2 * (8 + 4));
}

TEST(AttentionProjections, RefuseSelfAttentionBesideAMemoryOfAnotherWidth) {
  ParameterSet parameters;
  MultiHeadAttentionOptions options = grouped();
  options.d_memory = 16;
  const AttentionProjections projections(parameters, "attn", options);
  parameters.allocate(3);
  expect_error<ShapeError>([&] { projections.self(Variable(input(2)), {}); },
                           {"attn", "width 16", "width 32"});
}

}  // namespace
}  // namespace attend
