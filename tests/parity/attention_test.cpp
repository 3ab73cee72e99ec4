#include "attend/nn/multi_head_attention.h"

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
    AttentionPattern pattern{golden.offsets("in.lengths"), golden.offsets("in.lengths")};
    pattern.causal = golden.flag("causal");
    if (golden.contains("in.mask")) {
      const Tensor mask =
          golden.tensor("in.mask");  // equal lengths: the blocks lie one after the other already
      pattern.bias = mask.reshape({mask.size()});
    }
    std::vector<AttentionRecord> records;
    pass_.attention = &records;
    const Variable y = attention.self(query, pattern, pass_);
    expect_output(y.value(), golden.packed("out.y", "in.lengths"), "y");
    if (golden.contains("out.weights"))
      golden.expect_weights(records.at(0).weights, "in.lengths", "in.lengths");
    backward(y, golden.packed("dout.y", "in.lengths"));
    expect_gradient(query.gradient(), golden.packed("din.query", "in.lengths"), "query");
    golden.expect_gradients(parameters_, "attention.");
  }

  void check_cross(const Golden& golden) {
    const Variable query(golden.packed("in.query", "in.query_lengths"), true);
    const Variable memory(golden.packed("in.memory", "in.memory_lengths"), true);
    const MultiHeadAttention attention = make(golden, memory.dim(1));
    std::vector<AttentionRecord> records;
    pass_.attention = &records;
    const AttentionPattern pattern{golden.offsets("in.query_lengths"),
                                   golden.offsets("in.memory_lengths")};
    const Variable y = attention.cross(query, memory, pattern, pass_);
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

INSTANTIATE_TEST_SUITE_P(Backends, MultiHeadAttentionParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
