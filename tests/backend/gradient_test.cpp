// The backward kernels of the reference against differences of its forward kernels. The fast
// backend is compared with the reference, so one chain of evidence reaches both.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "attend/backend/backend.h"
#include "backend/activations.h"
#include "backend/attention_pattern.h"
#include "backend/gradient_check.h"
#include "backend/operands.h"

namespace attend {
namespace {

constexpr std::int64_t kCheckedRows = 3;
constexpr std::int64_t kCheckedColumns = 7;

Tensor zeros_like(const Tensor& x) { return Tensor::zeros(x.shape()); }

class Gradient : public ::testing::Test {
 protected:
  Backend& kernels = reference_backend();
  Operands operands{Rows::strided};
};

TEST_F(Gradient, OfActivations) {
  for (const Activation activation : kActivations) {
    const Tensor x = operands.normal(kCheckedRows, kCheckedColumns);
    for (std::int64_t r = 0; r < kCheckedRows; ++r) {
      for (std::int64_t c = 0; c < kCheckedColumns; ++c) {
        if (std::abs(x.row(r)[c]) < 0.1f) x.row(r)[c] = 0.5f;  // away from the kink of relu
      }
    }
    const Tensor dy = operands.normal(kCheckedRows, kCheckedColumns);
    const Tensor dx = operands.output(kCheckedRows, kCheckedColumns);
    const Tensor y = zeros_like(x);
    kernels.activate_backward(activation, x, dy, dx);
    expect_gradient(
        [&] {
          kernels.activate(activation, x, y);
          return weighted_sum(y, dy);
        },
        x, dx);
  }
}

TEST_F(Gradient, OfLayerNorm) {
  const Tensor x = operands.normal(kCheckedRows, kCheckedColumns, 1.0f, 0.5f);
  const Tensor gamma = operands.normal_vector(kCheckedColumns, 0.3f, 1.0f);
  const Tensor beta = operands.normal_vector(kCheckedColumns);
  const Tensor dy = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor y = zeros_like(x);
  const Tensor mean = Tensor::empty({kCheckedRows});
  const Tensor rstd = Tensor::empty({kCheckedRows});
  const auto loss = [&] {
    kernels.layer_norm(x, gamma, beta, 1e-2f, y, mean, rstd);
    return weighted_sum(y, dy);
  };
  loss();
  const Tensor dx = operands.output(kCheckedRows, kCheckedColumns);
  const Tensor dgamma = Tensor::full({kCheckedColumns}, 10.0f);  // added to
  const Tensor dbeta = Tensor::full({kCheckedColumns}, -10.0f);
  kernels.layer_norm_backward(x, gamma, mean, rstd, dy, dx, dgamma, dbeta);
  for (float& value : dgamma.span()) value -= 10.0f;
  for (float& value : dbeta.span()) value += 10.0f;
  expect_gradient(loss, x, dx);
  expect_gradient(loss, gamma, dgamma);
  expect_gradient(loss, beta, dbeta);
}

TEST_F(Gradient, OfRmsNorm) {
  const Tensor x = operands.normal(kCheckedRows, kCheckedColumns, 1.0f, 0.5f);
  const Tensor gamma = operands.normal_vector(kCheckedColumns, 0.3f, 1.0f);
  const Tensor dy = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor y = zeros_like(x), rstd = Tensor::empty({kCheckedRows});
  const auto loss = [&] {
    kernels.layer_norm(x, gamma, {}, 1e-2f, y, {}, rstd);
    return weighted_sum(y, dy);
  };
  loss();
  const Tensor dx = operands.output(kCheckedRows, kCheckedColumns);
  const Tensor dgamma = Tensor::full({kCheckedColumns}, 10.0f);  // added to
  kernels.layer_norm_backward(x, gamma, {}, rstd, dy, dx, dgamma, {});
  for (float& value : dgamma.span()) value -= 10.0f;
  expect_gradient(loss, x, dx);
  expect_gradient(loss, gamma, dgamma);
}

TEST_F(Gradient, OfSoftmax) {
  constexpr float kScale = 0.7f;
  const Tensor x = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor y = zeros_like(x);
  const Tensor dy = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor dx = operands.output(kCheckedRows, kCheckedColumns);
  const auto loss = [&] {
    kernels.softmax(x, kScale, y);
    return weighted_sum(y, dy);
  };
  loss();
  kernels.softmax_backward(y, dy, kScale, dx);
  expect_gradient(loss, x, dx);
}

TEST_F(Gradient, OfCrossEntropy) {
  for (const float label_smoothing : {0.0f, 0.1f, 0.5f}) {
    SCOPED_TRACE(label_smoothing);
    const Tensor logits = operands.normal(kCheckedRows, kCheckedColumns);
    const std::vector<std::int32_t> targets = operands.ids(kCheckedRows, kCheckedColumns);
    const Tensor losses = Tensor::empty({kCheckedRows});
    const Tensor nll = Tensor::empty({kCheckedRows});
    constexpr float kGradientScale = 0.25f;
    const auto loss = [&] {
      kernels.cross_entropy(logits, targets, label_smoothing, 0.0f, losses, nll);
      return kGradientScale * kernels.sum(losses);
    };
    const Tensor gradient = logits.clone();
    kernels.cross_entropy(gradient, targets, label_smoothing, kGradientScale, losses, nll);
    expect_gradient(loss, logits, gradient);
  }
}

TEST_F(Gradient, OfPairedCrossEntropy) {
  for (const float divergence : {0.0f, 1.0f, 5.0f}) {
    SCOPED_TRACE(divergence);
    const Tensor one = operands.normal(kCheckedRows, kCheckedColumns),
                 other = operands.normal(kCheckedRows, kCheckedColumns);
    const std::vector<std::int32_t> targets = operands.ids(kCheckedRows, kCheckedColumns);
    const Tensor losses = Tensor::empty({kCheckedRows});
    const Tensor nll = Tensor::empty({kCheckedRows});
    constexpr float kGradientScale = 0.25f;
    const auto loss = [&] {
      kernels.paired_cross_entropy(one, other, targets, {0.1f, divergence, 0.0f}, losses, nll);
      return kGradientScale * kernels.sum(losses);
    };
    const Tensor to_one = one.clone(), to_other = other.clone();
    kernels.paired_cross_entropy(to_one, to_other, targets, {0.1f, divergence, kGradientScale},
                                 losses, nll);
    expect_gradient(loss, one, to_one);
    expect_gradient(loss, other, to_other);
  }
}

TEST_F(Gradient, OfDropoutIsDropout) {
  const Dropout dropout{.p = 0.4f, .key = {1, 2}};
  const Tensor x = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor y = zeros_like(x);
  const Tensor dy = operands.normal(kCheckedRows, kCheckedColumns);
  const Tensor dx = operands.output(kCheckedRows, kCheckedColumns);
  kernels.dropout(dropout, dy, dx);
  expect_gradient(
      [&] {
        kernels.dropout(dropout, x, y);
        return weighted_sum(y, dy);
      },
      x, dx);
}

TEST_F(Gradient, OfEmbedIsScatterAdd) {
  const Tensor table = operands.normal(5, kCheckedColumns);
  const std::vector<std::int32_t> ids{1, 4, 1};
  const Tensor y = Tensor::empty({3, kCheckedColumns});
  const Tensor dy = operands.normal(3, kCheckedColumns);
  const Tensor dtable = Tensor::zeros({5, kCheckedColumns});
  kernels.scatter_add(dy, ids, 3.0f, dtable);
  expect_gradient(
      [&] {
        kernels.embed(table, ids, 3.0f, {}, {}, {}, y);
        return weighted_sum(y, dy);
      },
      table, dtable);
}

class AttentionGradient : public ::testing::TestWithParam<AttentionPattern> {};

TEST_P(AttentionGradient, MatchesDifferences) {
  Backend& kernels = reference_backend();
  Operands operands(Rows::strided);
  const AttentionProblem problem(GetParam(), operands);
  const Tensor out = operands.output(problem.queries(), problem.v.cols());
  const Tensor log_sum_exp = operands.output(problem.queries(), problem.layout.heads);
  const Tensor dout = operands.normal(problem.queries(), problem.v.cols());
  const Tensor dq = Tensor::zeros({problem.queries(), problem.q.cols()});
  const Tensor dk = Tensor::zeros({problem.keys(), problem.k.cols()});
  const Tensor dv = Tensor::zeros({problem.keys(), problem.v.cols()});
  const DistanceBias& bias = problem.distance_bias;
  const Tensor dbias = bias.defined() ? Tensor::zeros(bias.table.shape()) : Tensor();
  const auto loss = [&] {
    kernels.attention(problem.operands(), problem.layout, out, log_sum_exp, {});
    return weighted_sum(out, dout);
  };
  loss();
  kernels.attention_backward(problem.operands(), problem.layout, out, log_sum_exp, dout,
                             {dq, dk, dv, dbias});
  expect_gradient(loss, problem.q, dq);
  expect_gradient(loss, problem.k, dk);
  expect_gradient(loss, problem.v, dv);
  if (dbias.defined()) expect_gradient(loss, bias.table, dbias);
}

INSTANTIATE_TEST_SUITE_P(Of, AttentionGradient, ::testing::ValuesIn(small_attention_patterns()),
                         [](const auto& suite) { return suite.param.name; });

}  // namespace
}  // namespace attend
