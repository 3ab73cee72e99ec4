#include <string>

#include "attend/nn/attention/additive_attention.h"
#include "attend/nn/gru.h"
#include "parity/golden.h"

namespace attend {
namespace {

class RecurrenceParity : public Parity {
 protected:
  template <class Run>
  void check_gru(const Golden& golden, const std::string& prefix, const Run& run) {
    parameters_.allocate(1);
    golden.load(parameters_, prefix);
    const Variable x(golden.packed("in.x", "in.lengths"), true);
    const Variable y = run(x, *golden.offsets("in.lengths"));
    expect_output(y.value(), golden.packed("out.y", "in.lengths"), "y");
    backward(y, golden.packed("dout.y", "in.lengths"));
    expect_gradient(x.gradient(), golden.packed("din.x", "in.lengths"), "x");
    golden.expect_gradients(parameters_, prefix);
  }

  ParameterSet parameters_;
};

TEST_P(RecurrenceParity, Gru) {
  const Gru gru(parameters_, "gru", 6, 7);
  check_gru(Golden("gru"), "gru.", [&](const Variable& x, const auto& offsets) {
    return gru.forward(x, TimeSteps(offsets, TimeDirection::forward), Pass::inference());
  });
}

TEST_P(RecurrenceParity, BidirectionalGru) {
  const BidirectionalGru gru(parameters_, "gru", 6, 7);
  check_gru(Golden("gru_bidirectional"), "gru.", [&](const Variable& x, const auto& offsets) {
    return gru.forward(x, offsets, Pass::inference());
  });
}

TEST_P(RecurrenceParity, AdditiveAttention) {
  const Golden golden("additive_attention");
  const AdditiveAttention attention(parameters_, "attention", {8, 6, 5, {}});
  parameters_.allocate(1);
  golden.load(parameters_, "attention.");
  const Variable query(golden.packed("in.query", "in.query_lengths"), true),
      memory(golden.packed("in.memory", "in.memory_lengths"), true);
  const AttentionLayout layout{golden.offsets("in.query_lengths"),
                               golden.offsets("in.memory_lengths")};
  const Pass pass = Pass::inference();
  Tensor weights;
  const Variable y =
      attention.forward(query, attention.project_memory(memory, pass), layout, pass, &weights);
  expect_output(y.value(), golden.packed("out.y", "in.query_lengths"), "y");
  const Tensor expected = golden.tensor("out.weights");  // [B, T, S]
  const float* found = weights.data();
  const auto queries = golden.offsets("in.query_lengths"),
             keys = golden.offsets("in.memory_lengths");
  for (std::size_t b = 0; b + 1 < queries->size(); ++b) {
    for (std::int64_t t = 0; t < (*queries)[b + 1] - (*queries)[b]; ++t) {
      const float* row =
          expected.data() + (static_cast<std::int64_t>(b) * expected.dim(1) + t) * expected.dim(2);
      for (std::int64_t s = 0; s < (*keys)[b + 1] - (*keys)[b]; ++s)
        EXPECT_NEAR(*found++, row[s], 1e-5) << b << ", " << t << ", " << s;
    }
  }
  backward(y, golden.packed("dout.y", "in.query_lengths"));
  expect_gradient(query.gradient(), golden.packed("din.query", "in.query_lengths"), "query");
  expect_gradient(memory.gradient(), golden.packed("din.memory", "in.memory_lengths"), "memory");
  golden.expect_gradients(parameters_, "attention.");
}

INSTANTIATE_TEST_SUITE_P(Backends, RecurrenceParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
