#include <string>
#include <vector>

#include "attend/nn/layers.h"
#include "attend/nn/positional_encoding.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/embedding.h"
#include "attend/ops/layer_norm.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/pooling.h"
#include "parity/golden.h"

namespace attend {
namespace {

Ids ids_of(const Tensor& values) {
  const auto span = values.span<std::int32_t>();
  return std::vector(span.begin(), span.end());
}

class FunctionParity : public Parity {};

TEST_P(FunctionParity, Sinusoids) {
  const Tensor expected = Golden("sinusoids").tensor("out.table");
  expect_output(sinusoids(PositionKind::sinusoidal, expected.dim(0), expected.dim(1)), expected,
                "sinusoids");
}

TEST_P(FunctionParity, LabelSmoothing) {
  const Golden golden("label_smoothing");
  const Tensor targets = golden.tensor("in.targets"), smoothing = golden.tensor("in.smoothing");
  const Ids ids = ids_of(targets);
  for (std::int64_t i = 0; i < smoothing.size(); ++i) {
    const std::string number = std::to_string(i);
    const Variable logits(golden.tensor("in.logits"), true);
    const CrossEntropy result = cross_entropy(logits, ids, {smoothing.data()[i], 0.0});
    double sum = 0.0;
    for (const float loss : golden.tensor("out.losses." + number).to_vector())
      sum += static_cast<double>(loss);
    EXPECT_NEAR(result.loss_sum, sum, 1e-5 * sum);
    backward(result.loss);
    expect_gradient(logits.gradient(), golden.tensor("din.logits." + number),
                    "logits, smoothing " + number);
  }
}

TEST_P(FunctionParity, ClassWeights) {
  const Golden golden("label_smoothing");
  const Tensor targets = golden.tensor("in.targets");
  const Ids ids = ids_of(targets);
  const Variable logits(golden.tensor("in.logits"), true);
  const CrossEntropy result =
      cross_entropy(logits, ids, {0.0f, 0.0, golden.tensor("in.class_weights")});
  double sum = 0.0;
  for (const float loss : golden.tensor("out.losses.weighted").to_vector())
    sum += static_cast<double>(loss);
  EXPECT_NEAR(result.loss_sum, sum, 1e-5 * sum);
  backward(result.loss);
  expect_gradient(logits.gradient(), golden.tensor("din.logits.weighted"), "logits, weighted");
}

TEST_P(FunctionParity, LayerNorm) {
  const Golden golden("layer_norm");
  const Variable x(golden.tensor("in.x"), true), gamma(golden.tensor("param.weight"), true),
      beta(golden.tensor("param.bias"), true);
  const Variable y = layer_norm(x, {gamma, beta, 1e-5f});
  expect_output(y.value(), golden.tensor("out.y"), "y");
  backward(y, golden.tensor("dout.y"));
  expect_gradient(x.gradient(), golden.tensor("din.x"), "x");
  expect_gradient(gamma.gradient(), golden.tensor("dparam.weight"), "weight");
  expect_gradient(beta.gradient(), golden.tensor("dparam.bias"), "bias");
}

TEST_P(FunctionParity, RmsNorm) {
  const Golden golden("rms_norm");
  const Variable x(golden.tensor("in.x"), true), gamma(golden.tensor("param.weight"), true);
  const Variable y = layer_norm(x, {gamma, {}, 1e-6f});
  expect_output(y.value(), golden.tensor("out.y"), "y");
  backward(y, golden.tensor("dout.y"));
  expect_gradient(x.gradient(), golden.tensor("din.x"), "x");
  expect_gradient(gamma.gradient(), golden.tensor("dparam.weight"), "weight");
}

TEST_P(FunctionParity, Activations) {
  for (const auto& [name, activation] :
       {std::pair("gelu", Activation::gelu), std::pair("gelu_tanh", Activation::gelu_tanh),
        std::pair("swish", Activation::swish), std::pair("quick_gelu", Activation::quick_gelu)}) {
    const Golden golden(name);
    const Tensor in = golden.tensor("in.x");
    const Variable x(in.reshape({1, in.size()}), true);
    const Variable y = activate(x, activation);
    expect_output(y.value(), golden.tensor("out.y"), name);
    backward(y, golden.tensor("dout.y").reshape({1, in.size()}));
    expect_gradient(x.gradient(), golden.tensor("din.x"), name);
  }
}

TEST_P(FunctionParity, GatedFeedForward) {
  for (const auto& [name, activation] :
       {std::pair("gated_feed_forward_swish", Activation::swish),
        std::pair("gated_feed_forward_gelu_tanh", Activation::gelu_tanh)}) {
    const Golden golden(name);
    ParameterSet parameters;
    FeedForwardOptions options{.d_model = 16, .d_ff = golden.integer("d_ff")};
    options.activation = activation;
    options.gated = true;
    const FeedForward network(parameters, "feed_forward", options);
    parameters.allocate(1);
    golden.load(parameters, "");
    const Variable x(golden.tensor("in.x"), true);
    const Variable y = network.forward(x, pass_);
    expect_output(y.value(), golden.tensor("out.y"), name);
    backward(y, golden.tensor("dout.y"));
    expect_gradient(x.gradient(), golden.tensor("din.x"), name);
    golden.expect_gradients(parameters, "");
  }
}

TEST_P(FunctionParity, PoolingOfEmbeddings) {
  const Golden golden("embedding_pooling");
  const Ids tokens = ids_of(golden.tensor("in.ids")), offsets = ids_of(golden.tensor("in.offsets"));
  for (const auto& [name, pooling] :
       {std::pair("max", Pooling::max), std::pair("mean", Pooling::mean),
        std::pair("first", Pooling::first)}) {
    const Variable table(golden.tensor("param.table"), true);
    const Variable y = pool(embedding(table, tokens, 1.0f), offsets, pooling);
    expect_output(y.value(), golden.tensor(std::string("out.") + name), name);
    backward(y, golden.tensor(std::string("dout.") + name));
    expect_gradient(table.gradient(), golden.tensor(std::string("dparam.table.") + name), name);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, FunctionParity, testing::Values("fast", "reference"));

}  // namespace
}  // namespace attend
