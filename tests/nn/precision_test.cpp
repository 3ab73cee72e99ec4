// Modules compute all their matrix products, forward and backward, in the precision of the pass.
#include <gtest/gtest.h>

#include <functional>

#include "attend/nn/attention/multi_head_attention.h"
#include "attend/nn/gru.h"
#include "attend/nn/layers.h"
#include "backend/precision_count.h"
#include "backend/scoped_backend.h"
#include "ops/operands.h"

namespace attend {
namespace {

constexpr std::int64_t kTwelve = 12;
const std::vector<std::int32_t> kTwoSequences{0, 3, 7};

class PrecisionOf : public testing::Test {
 protected:
  // Two sequences, 7 tokens in all.
  void expect_all_in_bf16(const std::function<Variable(const Variable&, Pass&)>& forward,
                          std::int64_t width = kTwelve) {
    parameters_.allocate(1);
    Pass pass = Pass::training(1, 1, Precision::bf16);
    const Variable x(normal_tensor({7, width}, random_), true);
    const Variable y = forward(x, pass);
    EXPECT_GT(backend_.in_bf16(), 0);
    EXPECT_EQ(backend_.in_f32(), 0) << "forward";
    const int forward_only = backend_.in_bf16();
    backward(y, normal_tensor(y.shape(), random_));
    EXPECT_GT(backend_.in_bf16(), forward_only);
    EXPECT_EQ(backend_.in_f32(), 0) << "backward";
  }

  PrecisionCount backend_;
  ScopedBackend scope_{backend_};
  ParameterSet parameters_;
  Random random_{{1, 2}};
};

TEST_F(PrecisionOf, ALinearLayer) {
  const Linear linear(parameters_, "linear", kTwelve, 5);
  expect_all_in_bf16(
      [&](const Variable& x, Pass& pass) { return linear.forward(x, pass, Activation::relu); });
}

TEST_F(PrecisionOf, AFeedForwardNetwork) {
  const FeedForward network(parameters_, "ffn", {.d_model = kTwelve, .d_ff = 16});
  expect_all_in_bf16([&](const Variable& x, Pass& pass) { return network.forward(x, pass); });
}

TEST_F(PrecisionOf, AGatedFeedForwardNetwork) {
  const FeedForward network(parameters_, "ffn", {.d_model = kTwelve, .d_ff = 16, .gated = true});
  expect_all_in_bf16([&](const Variable& x, Pass& pass) { return network.forward(x, pass); });
}

TEST_F(PrecisionOf, SelfAttention) {
  MultiHeadAttentionOptions options;
  options.d_model = kTwelve;
  options.n_heads = 3;
  const MultiHeadAttention attention(parameters_, "attn", options);
  expect_all_in_bf16([&](const Variable& x, Pass& pass) {
    return attention.self(x, {.query_offsets = kTwoSequences, .key_offsets = kTwoSequences}, {},
                          pass);
  });
}

TEST_F(PrecisionOf, CrossAttention) {
  MultiHeadAttentionOptions options;
  options.d_model = kTwelve;
  options.n_heads = 3;
  const MultiHeadAttention attention(parameters_, "attn", options);
  const Variable memory(normal_tensor({7, kTwelve}, random_), true);
  expect_all_in_bf16([&](const Variable& x, Pass& pass) {
    return attention.cross(x, memory,
                           {.query_offsets = kTwoSequences, .key_offsets = kTwoSequences}, pass);
  });
}

TEST_F(PrecisionOf, ARecurrentNetwork) {
  const BidirectionalGru gru(parameters_, "gru", kTwelve, 5);
  expect_all_in_bf16(
      [&](const Variable& x, Pass& pass) { return gru.forward(x, kTwoSequences, pass); });
}

}  // namespace
}  // namespace attend
