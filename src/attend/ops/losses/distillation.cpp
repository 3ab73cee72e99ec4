#include "attend/ops/losses/distillation.h"

#include "attend/backend/backend.h"
#include "attend/ops/check.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/losses/blockwise_loss.h"
#include "attend/ops/slices.h"
#include "attend/ops/softmax.h"

namespace attend {

CrossEntropy distilled_cross_entropy(const Variable& logits, const Tensor& teacher,
                                     const Ids& targets, float weight,
                                     const CrossEntropyOptions& options) {
  constexpr std::string_view op = "distilled_cross_entropy";
  detail::expect(logits.shape() == teacher.shape(), op, "logits and teacher [N, V]", logits.shape(),
                 teacher.shape());
  if (!(weight >= 0.0f && weight <= 1.0f))
    throw ConfigError(fmt::format("[{}] expected a weight in [0, 1], got {}", op, weight));
  CrossEntropyOptions summed = options;
  summed.normalizer = 1.0;
  const CrossEntropy hard = cross_entropy(logits, targets, summed);
  // KL(Q || P) = sum_v Q[v] (log Q[v] - log P[v])
  const Variable wanted = softmax(Variable(teacher)), log_wanted = log_softmax(Variable(teacher));
  const Variable soft = sum(multiply(wanted, add(log_wanted, scale(log_softmax(logits), -1.0f))));
  const Variable total = add(scale(hard.loss, 1.0f - weight), scale(soft, weight));
  return {scale(total, detail::loss_scale(options.normalizer, targets.size())),
          DeviceScalar(total.value()), hard.nll};
}

CrossEntropy paired_distilled_cross_entropy(const Variable& logits, const Tensor& teacher,
                                            const Ids& targets, float weight, float divergence,
                                            const CrossEntropyOptions& options) {
  constexpr std::string_view op = "paired_distilled_cross_entropy";
  const std::int64_t rows = teacher.rows();
  detail::expect(logits.value().rows() == 2 * rows, op, "logits [2N, V] and teacher [N, V]",
                 logits.shape(), teacher.shape());
  if (!(divergence >= 0.0f))
    throw ConfigError(
        fmt::format("[{}] expected a divergence of at least 0, got {}", op, divergence));
  const Variable first = slice_rows(logits, 0, rows), second = slice_rows(logits, rows, 2 * rows);
  CrossEntropyOptions summed = options;
  summed.normalizer = 1.0;
  const CrossEntropy one = distilled_cross_entropy(first, teacher, targets, weight, summed),
                     two = distilled_cross_entropy(second, teacher, targets, weight, summed);
  // KL(P || Q) + KL(Q || P) = sum_v (P[v] - Q[v]) (log P[v] - log Q[v])
  const auto minus = [](const Variable& a, const Variable& b) { return add(a, scale(b, -1.0f)); };
  const Variable apart = sum(multiply(minus(softmax(first), softmax(second)),
                                      minus(log_softmax(first), log_softmax(second))));
  const Variable total = add(scale(add(one.loss, two.loss), 0.5f), scale(apart, divergence / 4.0f));
  return {scale(total, detail::loss_scale(options.normalizer, targets.size())),
          DeviceScalar(total.value()), one.nll};
}

CrossEntropy soft_cross_entropy(const Variable& logits, const Tensor& targets, double normalizer) {
  detail::expect(logits.shape() == targets.shape() && detail::is_matrix(logits),
                 "soft_cross_entropy", "logits and targets [N, V]", logits.shape(),
                 targets.shape());
  const Variable total = scale(sum(multiply(Variable(targets), log_softmax(logits))), -1.0f);
  const DeviceScalar in_all(total.value());
  return {scale(total, detail::loss_scale(normalizer, logits.dim(0))), in_all, in_all};
}

Tensor mean_of_teachers(std::vector<Tensor> logits) {
  if (logits.size() == 1) return std::move(logits.front());
  for (Tensor& one : logits) backend()->log_softmax(one, one);
  backend()->log_mean_exp(logits, logits.front());
  return std::move(logits.front());
}

}  // namespace attend
