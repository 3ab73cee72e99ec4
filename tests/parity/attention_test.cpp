#include "attend/nn/attention/multi_head_attention.h"

#include <string>
#include <vector>

#include "parity/golden.h"

namespace attend {
namespace {

struct Run {
  Variable y;
  Tensor weights;
};

class MultiHeadAttentionParity : public Parity {
 protected:
  // The module of a golden file, with its parameters.
  MultiHeadAttention make(const Golden& golden, std::int64_t d_memory = 0) {
    MultiHeadAttentionOptions options;
    options.d_model = 16;
    options.n_heads = golden.integer("heads");
    options.d_memory = d_memory;
    MultiHeadAttention attention(parameters_, "attention", options);
    finish(golden);
    return attention;
  }

  void finish(const Golden& golden) {
    parameters_.allocate(1);
    golden.load(parameters_, "attention.");
  }

  void check_self(const Golden& golden, const MultiHeadAttention& attention) {
    const Variable query(golden.packed("in.query", "in.lengths"), true);
    AttentionLayout layout{golden.offsets("in.lengths"), golden.offsets("in.lengths")};
    layout.causal = golden.flag("causal");
    const Ids positions =
        Ragged(Ids(std::vector<std::int32_t>()), layout.query_offsets).positions();  // of no ids
    if (golden.contains("in.mask")) {
      const Tensor mask =
          golden.tensor("in.mask");  // equal lengths: the blocks lie one after the other already
      layout.bias = mask.reshape({mask.size()});
    }
    std::vector<AttentionRecord> records;
    pass_.attention = &records;
    const Variable y = attention.self(query, layout, positions, pass_);
    expect_output(y.value(), golden.packed("out.y", "in.lengths"), "y");
    if (golden.contains("out.weights"))
      golden.expect_weights(records.at(0).weights, "in.lengths", "in.lengths");
    backward(y, golden.packed("dout.y", "in.lengths"));
    expect_gradient(query.gradient(), golden.packed("din.query", "in.lengths"), "query");
    golden.expect_gradients(parameters_, "attention.");
  }

  static MultiHeadAttentionOptions options_of(const Golden& golden) {
    MultiHeadAttentionOptions options;
    options.d_model = 16;
    options.n_heads = golden.integer("heads");
    options.n_key_heads = golden.integer("key_heads");
    return options;
  }

  void check(const Golden& golden, const MultiHeadAttentionOptions& options) {
    const MultiHeadAttention attention(parameters_, "attention", options);
    finish(golden);
    check_self(golden, attention);
  }

  void check_relative(const std::string& name) {
    const Golden golden(name);
    MultiHeadAttentionOptions options = options_of(golden);
    options.relative = RelativePositions::learned(
        parameters_, "attention.relative_positions", options.n_heads,
        {golden.integer("buckets"), golden.integer("distance")}, golden.flag("causal"));
    check(golden, options);
  }

  void check_alibi(const std::string& name) {
    const Golden golden(name);
    MultiHeadAttentionOptions options = options_of(golden);
    options.relative = RelativePositions::alibi(options.n_heads);
    check(golden, options);
  }

  void check_cross(const Golden& golden) {
    const Variable query(golden.packed("in.query", "in.query_lengths"), true);
    const Variable memory(golden.packed("in.memory", "in.memory_lengths"), true);
    const MultiHeadAttention attention = make(golden, memory.dim(1));
    std::vector<AttentionRecord> records;
    pass_.attention = &records;
    const AttentionLayout layout{golden.offsets("in.query_lengths"),
                                 golden.offsets("in.memory_lengths")};
    const Variable y = attention.cross(query, memory, layout, pass_);
    expect_output(y.value(), golden.packed("out.y", "in.query_lengths"), "y");
    golden.expect_weights(records.at(0).weights, "in.query_lengths", "in.memory_lengths");
    backward(y, golden.packed("dout.y", "in.query_lengths"));
    expect_gradient(query.gradient(), golden.packed("din.query", "in.query_lengths"), "query");
    expect_gradient(memory.gradient(), golden.packed("din.memory", "in.memory_lengths"), "memory");
    golden.expect_gradients(parameters_, "attention.");
  }

  ParameterSet parameters_;
};

TEST_P(MultiHeadAttentionParity, AttendsToItself) {
  const Golden golden("mha_self");
  check_self(golden, make(golden));
}

TEST_P(MultiHeadAttentionParity, NeedsNoPadding) {
  const Golden golden("mha_self_padded");
  check_self(golden, make(golden));
}

TEST_P(MultiHeadAttentionParity, SeesOnlyThePast) {
  const Golden golden("mha_self_causal");
  check_self(golden, make(golden));
}

TEST_P(MultiHeadAttentionParity, TakesAnAdditiveMask) {
  const Golden golden("mha_self_mask");
  check_self(golden, make(golden));
}

TEST_P(MultiHeadAttentionParity, AttendsToAMemory) { check_cross(Golden("mha_cross")); }

TEST_P(MultiHeadAttentionParity, AttendsToANarrowerMemory) {
  check_cross(Golden("mha_cross_memory_width"));
}

TEST_P(MultiHeadAttentionParity, HasKeysAndValuesOfTheirOwnWidths) {
  const Golden golden("mha_dk_dv");
  MultiHeadAttentionOptions options;
  options.d_model = 16;
  options.n_heads = golden.integer("heads");
  options.d_key = golden.integer("d_k");
  options.d_value = golden.integer("d_v");
  const MultiHeadAttention attention(parameters_, "attention", options);
  finish(golden);
  check_self(golden, attention);
}

TEST_P(MultiHeadAttentionParity, TakesAnyInverseTemperature) {
  const Golden golden("mha_beta");
  MultiHeadAttentionOptions options;
  options.d_model = 16;
  options.n_heads = golden.integer("heads");
  options.variant.inverse_temperature = std::stof(golden.setting("beta"));
  const MultiHeadAttention attention(parameters_, "attention", options);
  finish(golden);
  check_self(golden, attention);
}

TEST_P(MultiHeadAttentionParity, SharesKeysAndValuesAmongHeads) {
  const Golden golden("mha_grouped");
  check(golden, options_of(golden));
}

TEST_P(MultiHeadAttentionParity, TurnsQueriesAndKeysByLinearlyStretchedAngles) {
  const Golden golden("mha_rotary_linear");
  MultiHeadAttentionOptions options = options_of(golden);
  options.rotary = RotaryOptions{.theta = std::stod(golden.setting("theta")),
                                 .scaling = RotaryScaling::linear,
                                 .factor = std::stod(golden.setting("scaling_factor"))};
  check(golden, options);
}

TEST_P(MultiHeadAttentionParity, TurnsQueriesAndKeysByTheAnglesOfLlama3) {
  const Golden golden("mha_rotary_llama3");
  MultiHeadAttentionOptions options = options_of(golden);
  options.rotary = RotaryOptions{.theta = std::stod(golden.setting("theta")),
                                 .scaling = RotaryScaling::llama3,
                                 .factor = std::stod(golden.setting("scaling_factor")),
                                 .low_factor = std::stod(golden.setting("scaling_low")),
                                 .high_factor = std::stod(golden.setting("scaling_high")),
                                 .original_length = golden.integer("scaling_length")};
  check(golden, options);
}

TEST_P(MultiHeadAttentionParity, AddsLearnedBiasesByDistance) { check_relative("mha_relative"); }
TEST_P(MultiHeadAttentionParity, AddsLearnedBiasesOfThePast) {
  check_relative("mha_relative_causal");
}

TEST_P(MultiHeadAttentionParity, AddsSlopesByDistance) { check_alibi("mha_alibi"); }
TEST_P(MultiHeadAttentionParity, AddsSlopesOfThePast) { check_alibi("mha_alibi_causal"); }

TEST(RelativePositionsParity, BucketsAreThoseOfT5) {
  for (const char* name : {"mha_relative", "mha_relative_causal"}) {
    const Golden golden(name);
    for (const RelativeOptions& options :
         {RelativeOptions{32, 128}, RelativeOptions{8, golden.integer("distance")}}) {
      const Tensor expected = golden.tensor("out.buckets." + std::to_string(options.buckets));
      const std::int64_t reach = expected.size() / 2;
      for (std::int64_t distance = -reach; distance <= reach; ++distance)
        EXPECT_EQ(relative_bucket(distance, options, golden.flag("causal")),
                  expected.data<std::int32_t>()[distance + reach])
            << name << ", " << options.buckets << " buckets, distance " << distance;
    }
  }
}

TEST(RelativePositionsParity, SlopesAreThoseOfAlibi) {
  for (const int heads : {4, 12})
    EXPECT_EQ(alibi_slopes(heads),
              Golden("mha_alibi").tensor("out.slopes." + std::to_string(heads)).to_vector());
}

INSTANTIATE_TEST_SUITE_P(Backends, MultiHeadAttentionParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
