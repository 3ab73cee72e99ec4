#include "attend/ops/losses/cross_entropy.h"

#include <algorithm>

#include "attend/backend/weights.h"
#include "attend/ops/check.h"
#include "attend/ops/losses/blockwise_loss.h"

namespace attend {

namespace {

void check_classes(std::string_view op, std::int64_t classes,
                   std::span<const std::int32_t> targets) {
  for (const std::int32_t target : targets) {
    if (target < 0 || target >= classes)
      throw ShapeError(fmt::format("[{}] expected targets 0..{}, got {}", op, classes - 1, target));
  }
}

void check_targets(std::string_view op, const Shape& x, std::int64_t classes,
                   std::span<const std::int32_t> targets) {
  detail::expect_one_per_row(op, "targets", x, targets.size());
  check_classes(op, classes, targets);
}

void check_smoothing(std::string_view op, const CrossEntropyOptions& options) {
  if (!(options.label_smoothing >= 0.0f && options.label_smoothing <= 1.0f))
    throw ConfigError(fmt::format("[{}] expected label smoothing in [0, 1], got {}", op,
                                  options.label_smoothing));
}

// x [N, D] against weight [V, D] and bias [V].
void check_projection(std::string_view op, const Shape& x, const OutputProjection& output) {
  const Shape weight = output.weight.shape();
  const bool fits = x.rank() == 2 && weight.rank() == 2 && weight_columns(output.weight) == x[1];
  detail::expect(fits, op, "x [N, D] and weight [V, D]", x, weight);
  if (output.bias.defined())
    detail::expect(output.bias.shape() == Shape{weight[0]}, op, "weight [V, D] and bias [V]",
                   weight, output.bias.shape());
}

// Multiplies losses [N], and the gradient [N, V] if there is one, by the weight of each target's
// class.
void weigh(const Tensor& weights, const Ids& targets, const Tensor& losses,
           const Tensor& gradient) {
  const std::int64_t rows = losses.dim(0);
  const Tensor factors = Tensor::empty({rows, 1});
  backend()->gather_rows(weights.reshape({weights.dim(0), 1}), targets, factors);
  backend()->multiply(losses, factors.reshape({rows}), losses);
  if (gradient.defined()) backend()->scale_rows(factors, gradient, 0.0f, gradient);
}

}  // namespace

CrossEntropy cross_entropy(const Variable& logits, const Ids& targets,
                           const CrossEntropyOptions& options) {
  detail::expect_matrix("cross_entropy", logits);
  check_targets("cross_entropy", logits.shape(), logits.dim(1), *targets);
  check_smoothing("cross_entropy", options);
  if (options.class_weights.defined())
    detail::expect(options.class_weights.shape() == Shape{logits.dim(1)}, "cross_entropy",
                   "logits [N, V] and class weights [V]", logits.shape(),
                   options.class_weights.shape());
  const std::int64_t rows = logits.dim(0);
  const Tensor losses = Tensor::empty({rows}), nll = Tensor::empty({rows});
  const float scale = detail::loss_scale(options.normalizer, rows);
  const bool recording = will_record({&logits});
  // dlogits = scale (softmax(logits) - (1-s) onehot(target) - s/V)
  const Tensor dlogits = recording ? logits.value().clone() : logits.value();
  backend()->cross_entropy(dlogits, targets, options.label_smoothing, recording ? scale : 0.0f,
                           losses, nll);
  if (options.class_weights.defined())
    weigh(options.class_weights, targets, losses, recording ? dlogits : Tensor());
  return detail::RowLosses{losses, nll, scale}.recorded({{logits, dlogits}});
}

CrossEntropy projected_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                     const CrossEntropyOptions& options) {
  constexpr std::string_view op = "projected_cross_entropy";
  const auto& [weight, bias] = output;
  check_projection(op, x.shape(), {weight.value(), bias.value()});
  const std::int64_t rows = x.dim(0), classes = weight.dim(0);
  check_targets(op, x.shape(), classes, *targets);
  check_smoothing(op, options);
  options.soft.check(op, rows, classes);

  const SoftTargets soft = options.soft.beside(*targets);
  const Tensor losses = Tensor::empty({rows}), nll = Tensor::empty({rows});
  const float scale = detail::loss_scale(options.normalizer, rows);
  const bool recording = will_record({&x, &weight, &bias});
  const Tensor dx = recording ? Tensor::empty(x.shape()) : Tensor();
  detail::BlockwiseProjection projection(output, options.precision, recording);
  const detail::LogitCap cap(options.logit_cap, std::min(rows, backend()->block_sizes().loss_rows),
                             classes, recording);
  detail::for_logit_blocks(rows, classes, [&](const Tensor& logits, auto begin, auto end) {
    const Tensor input = x.value().slice_rows(begin, end);
    projection.forward(input, logits);
    cap.forward(logits);
    const Tensor part = soft.used() ? soft.linear_part(logits, begin, end) : Tensor();
    backend()->cross_entropy(logits, targets.slice(begin, end),
                             soft.smoothing(options.label_smoothing), recording ? scale : 0.0f,
                             losses.slice_rows(begin, end), nll.slice_rows(begin, end));
    if (soft.used()) soft.add_to_losses(part, begin, end, 1.0f, losses.slice_rows(begin, end));
    if (!recording) return;
    if (soft.used()) soft.add_to_gradient(logits, begin, end, scale);
    cap.backward(logits);
    projection.backward(logits, input, dx.slice_rows(begin, end));
  });
  return detail::RowLosses{losses, nll, scale}.recorded(
      {{x, dx}, {weight, projection.dweight()}, {bias, projection.dbias()}});
}

CrossEntropy paired_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                  float divergence, const CrossEntropyOptions& options) {
  constexpr std::string_view op = "paired_cross_entropy";
  const auto& [weight, bias] = output;
  check_projection(op, x.shape(), {weight.value(), bias.value()});
  const std::int64_t rows = targets.size();
  detail::expect(x.dim(0) == 2 * rows, op, "x [2N, D] and N targets", x.shape(), Shape{rows});
  check_classes(op, weight.dim(0), *targets);
  check_smoothing(op, options);
  if (!(divergence >= 0.0f))
    throw ConfigError(
        fmt::format("[{}] expected a divergence of 0 or more, got {}", op, divergence));
  options.soft.check(op, rows, weight.dim(0));

  const SoftTargets soft = options.soft.beside(*targets);
  const Tensor losses = Tensor::empty({rows}), nll = Tensor::empty({rows});
  const float scale = detail::loss_scale(options.normalizer, rows);
  const bool recording = will_record({&x, &weight, &bias});
  const PairedLoss paired{soft.smoothing(options.label_smoothing), divergence,
                          recording ? scale : 0.0f};
  const Tensor dx = recording ? Tensor::empty(x.shape()) : Tensor();
  detail::BlockwiseProjection projection(output, options.precision, recording);
  const std::int64_t pairs = backend()->block_sizes().loss_rows / 2;
  const Tensor both = Tensor::empty({2 * std::min(pairs, rows), x.dim(1)});
  const Tensor all_logits = Tensor::empty({both.dim(0), weight.dim(0)});

  // The rows of both predictions in one matrix, so that a GEMM packs the weights only once.
  detail::for_row_blocks(rows, pairs, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t count = end - begin;
    const Tensor input = both.slice_rows(0, 2 * count), first = input.slice_rows(0, count),
                 second = input.slice_rows(count, 2 * count);
    const Tensor logits = all_logits.slice_rows(0, 2 * count);
    first.copy_from(x.value().slice_rows(begin, end));
    second.copy_from(x.value().slice_rows(rows + begin, rows + end));
    projection.forward(input, logits);
    const Tensor halves[] = {logits.slice_rows(0, count), logits.slice_rows(count, 2 * count)};
    Tensor parts[2];
    if (soft.used())
      for (int i : {0, 1}) parts[i] = soft.linear_part(halves[i], begin, end);
    backend()->paired_cross_entropy(halves[0], halves[1], targets.slice(begin, end), paired,
                                    losses.slice_rows(begin, end), nll.slice_rows(begin, end));
    if (soft.used())
      for (const Tensor& part : parts)
        soft.add_to_losses(part, begin, end, 0.5f, losses.slice_rows(begin, end));
    if (!recording) return;
    if (soft.used())
      for (const Tensor& half : halves) soft.add_to_gradient(half, begin, end, 0.5f * scale);
    projection.backward(logits, input, input);
    dx.slice_rows(begin, end).copy_from(first);
    dx.slice_rows(rows + begin, rows + end).copy_from(second);
  });
  return detail::RowLosses{losses, nll, scale}.recorded(
      {{x, dx}, {weight, projection.dweight()}, {bias, projection.dbias()}});
}

std::vector<float> target_log_probabilities(const Tensor& x, const OutputProjection& output,
                                            std::span<const std::int32_t> targets,
                                            float logit_cap) {
  const std::int64_t classes = output.weight.dim(0);
  check_projection("target_log_probabilities", x.shape(), output);
  check_targets("target_log_probabilities", x.shape(), classes, targets);
  const Ids wanted = std::vector(targets.begin(), targets.end());
  const Tensor picked = Tensor::empty({x.rows(), 1});
  const detail::LogitCap cap(logit_cap, 0, classes, false);
  detail::for_logit_blocks(x.rows(), classes, [&](const Tensor& logits, auto begin, auto end) {
    backend()->linear(x.slice_rows(begin, end), output.weight, output.bias, {}, logits);
    cap.forward(logits);
    backend()->log_softmax(logits, logits);
    backend()->gather_columns(logits, wanted.slice(begin, end), 0.0f,
                              picked.slice_rows(begin, end));
  });
  return picked.to_vector();
}

}  // namespace attend
