#include "attend/models/stack/stack_input.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/ops/elementwise.h"
#include "models/small_transformer.h"
#include "ops/operands.h"

namespace attend {
namespace {

struct InputOf {
  explicit InputOf(const StackConfig& config, int token_types = 0)
      : table(parameters.add_table("table", {23, config.d_model}, {Init::Kind::normal, 0.5f})),
        input(parameters, {"encoder", ""}, config, {.types = token_types}) {
    parameters.allocate(1);
  }
  ParameterSet parameters;
  Parameter table;
  StackInput input;
};

StackConfig config_of_input() {
  StackConfig config = small_config();
  config.dropout = 0.25f;
  return config;
}

TEST(StackInput, ScalesEmbeddingsByTheRootOfTheirWidthUnlessTold) {
  StackConfig config = config_of_input();
  config.positions = PositionKind::none;
  const Ragged text = random_tokens({3, 2}, 23, 1);
  Pass pass = Pass::inference();
  for (const float scale : {0.0f, 1.0f, 3.5f}) {
    config.embedding_scale = scale;
    const InputOf of(config);
    const float factor = scale > 0.0f ? scale : std::sqrt(static_cast<float>(config.d_model));
    EXPECT_TRUE(same_bits(of.input.whole(of.table, text, pass).value(),
                          embedding(*of.table, text.ids, factor).value()));
  }
}

TEST(StackInput, NormalizesTheSumOfEmbeddingsAndPositionsBeforeDropout) {
  StackConfig config = config_of_input();
  const InputOf plain(config);
  config.norm_embedding = true;
  config.norm.epsilon = 1e-2f;
  const InputOf normalized(config);
  const Ragged text = random_tokens({3, 2}, 23, 1);
  Pass none = Pass::inference(), pass = Pass::training(1, 1), again = Pass::training(1, 1);
  const std::int64_t width = config.d_model;
  const Variable expected = dropout(
      layer_norm(plain.input.whole(plain.table, text, none),
                 {Variable(Tensor::full({width}, 1.0f)), Variable(Tensor::zeros({width})), 1e-2f}),
      again.dropout(config.dropout));
  EXPECT_TRUE(
      same_bits(normalized.input.whole(normalized.table, text, pass).value(), expected.value()));
}

TEST(StackInput, AddsTheFirstTypeOfTokenBeforeItNormalizes) {
  StackConfig config = config_of_input();
  for (const bool norm : {false, true}) {
    config.norm_embedding = norm;
    const InputOf of(config, 2);
    const auto& entries = of.parameters.entries();
    const auto types = std::find_if(entries.begin(), entries.end(), [](const auto& entry) {
      return entry.name == "token_types.weight";
    });
    ASSERT_NE(types, entries.end());
    EXPECT_EQ(types->shape, (Shape{2, config.d_model}));
    const Ragged text = random_tokens({3, 2}, 23, 1);
    StackConfig bare = config;
    bare.norm_embedding = false;
    const InputOf plain(bare);
    Pass none = Pass::inference(), pass = Pass::training(1, 1), again = Pass::training(1, 1);
    const Variable first = gather_rows(Variable(of.parameters.value(*types)), {0, 0, 0, 0, 0});
    Variable expected = add(plain.input.whole(plain.table, text, none), first);
    if (norm)
      expected = layer_norm(expected, {Variable(Tensor::full({config.d_model}, 1.0f)),
                                       Variable(Tensor::zeros({config.d_model})), 1e-5f});
    expected = dropout(expected, again.dropout(config.dropout));
    EXPECT_TRUE(same_bits(of.input.whole(of.table, text, pass).value(), expected.value()));
  }
}

TEST(StackInput, GivesATokenAtAPositionWhatItGivesInItsText) {
  StackConfig config = config_of_input();
  config.norm_embedding = true;
  config.positions = PositionKind::sinusoidal_t2t;
  config.first_position = 2;
  const InputOf of(config);
  const Ragged text = random_tokens({4}, 23, 1);
  Pass pass = Pass::inference();
  const Tensor whole = of.input.whole(of.table, text, pass).value();
  for (std::int32_t n = 0; n < 4; ++n)
    EXPECT_TRUE(same_bits(of.input.step(of.table, ids({text.ids[n]}), ids({n}), pass).value(),
                          whole.slice_rows(n, n + 1)));
}

}  // namespace
}  // namespace attend
