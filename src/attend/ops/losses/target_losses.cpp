#include "attend/ops/losses/target_losses.h"

#include <algorithm>
#include <vector>

#include "attend/ops/check.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/blockwise_loss.h"
#include "attend/ops/losses/distillation.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

// The shares of both choices, row by row: those of a label that a text has not, and has.
Tensor shares_of_choices(std::span<const float> targets) {
  std::vector<float> shares;
  shares.reserve(2 * targets.size());
  for (const float target : targets) shares.insert(shares.end(), {1.0f - target, target});
  return Tensor::from(shares, {std::ssize(targets), 2});
}

}  // namespace

CrossEntropy binary_cross_entropy(const Variable& logits, std::span<const float> targets,
                                  const CrossEntropyOptions& options) {
  detail::expect_matrix("binary_cross_entropy", logits);
  const std::int64_t texts = logits.dim(0), labels = logits.dim(1);
  // softmax(0, x) = (sigmoid(-x), sigmoid(x)): a label is a choice of two classes.
  const Variable second(Tensor::from(std::vector<float>{0.0f, 1.0f}, {2, 1}));
  const Variable choices = linear(reshape(logits, {texts * labels, 1}), second);
  CrossEntropyOptions of_choices = options;
  of_choices.precision = Precision::f32;
  of_choices.normalizer =
      (options.normalizer > 0.0 ? options.normalizer : static_cast<double>(texts)) *
      static_cast<double>(labels);
  const auto is_soft = [](float target) { return target > 0.0f && target < 1.0f; };
  const bool soft = std::any_of(targets.begin(), targets.end(), is_soft);
  if (soft && options.label_smoothing > 0.0f)
    throw ConfigError("[binary_cross_entropy] expected no smoothing of targets between 0 and 1");
  CrossEntropy result =
      soft ? soft_cross_entropy(choices, shares_of_choices(targets), of_choices.normalizer)
           : cross_entropy(choices, std::vector<std::int32_t>(targets.begin(), targets.end()),
                           of_choices);
  const auto mean = [&](const DeviceScalar& sum) {
    const Tensor value = Tensor::empty({1});
    backend()->store(sum, 1.0 / static_cast<double>(labels), value);
    return DeviceScalar(value);
  };
  return {std::move(result.loss), mean(result.loss_sum), mean(result.nll)};
}

SquaredError squared_error(const Variable& x, const Tensor& targets, double normalizer) {
  detail::expect(x.shape() == targets.shape() && detail::is_matrix(x), "squared_error",
                 "x [N, 1] and targets [N, 1]", x.shape(), targets.shape());
  const Variable difference = add(x, scale(Variable(targets), -1.0f));
  const Variable squares = multiply(difference, difference);
  return {scale(sum(squares), detail::loss_scale(normalizer, x.dim(0))),
          backend()->sum(squares.value())};
}

}  // namespace attend
