#include "attend/ops/cross_entropy.h"

#include <algorithm>

#include "attend/backend/backend.h"
#include "attend/backend/weights.h"
#include "attend/ops/check.h"

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

float gradient_scale(const CrossEntropyOptions& options, std::size_t targets) {
  const double normalizer =
      options.normalizer > 0.0 ? options.normalizer : static_cast<double>(targets);
  return normalizer > 0.0 ? static_cast<float>(1.0 / normalizer) : 0.0f;
}

// Adds `part`, the gradient for a loss gradient of 1, times the loss gradient to the sink; may
// adopt `part`.
void send(const GradientSink& sink, const Tensor& part, const Tensor& dloss) {
  if (!sink.needed()) return;
  if (is_unit_gradient(dloss)) {
    sink.add(part);
  } else {
    const auto [buffer, beta] = sink.target();
    backend()->scaled_add(DeviceScalar(dloss), 1.0f, part, beta, buffer);
  }
}

// [1]
Tensor scaled_loss(const DeviceScalar& total, float scale) {
  const Tensor loss = Tensor::empty({1});
  backend()->store(total, scale, loss);
  return loss;
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
  const Tensor losses = Tensor::empty({logits.dim(0)});
  const Tensor nll = Tensor::empty({logits.dim(0)});
  const float scale = gradient_scale(options, targets->size());
  const bool recording = will_record({&logits});
  const Tensor gradient = recording ? logits.value().clone() : logits.value();
  backend()->cross_entropy(gradient, targets, options.label_smoothing, recording ? scale : 0.0f,
                           losses, nll);
  if (options.class_weights.defined())
    weigh(options.class_weights, targets, losses, recording ? gradient : Tensor());

  const DeviceScalar total = backend()->sum(losses);
  const Tensor loss = scaled_loss(total, scale);
  // dlogits = scale (softmax(logits) - (1-s) onehot(target) - s/V), computed with the loss
  Variable output = record(
      loss, {&logits},
      [gradient, dlogits = logits.sink()](const Tensor& dloss) { send(dlogits, gradient, dloss); });
  return {output, total, backend()->sum(nll)};
}

CrossEntropy projected_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                     const CrossEntropyOptions& options) {
  constexpr std::string_view op = "projected_cross_entropy";
  const auto& [weight, bias] = output;
  check_projection(op, x.shape(), {weight.value(), bias.value()});
  const std::int64_t rows = x.dim(0), classes = weight.dim(0);
  check_targets(op, x.shape(), classes, *targets);
  check_smoothing(op, options);

  const Tensor losses = Tensor::empty({rows});
  const Tensor nll = Tensor::empty({rows});
  const float scale = gradient_scale(options, targets->size());
  const Precision precision = options.precision;
  const bool recording = will_record({&x, &weight, &bias});
  const Tensor dx = recording ? Tensor::empty(x.shape()) : Tensor();
  const Tensor dw = recording ? Tensor::empty(weight.shape()) : Tensor();
  const Tensor db = recording && bias.defined() ? Tensor::empty(bias.shape()) : Tensor();
  const std::int64_t chunk = backend()->block_sizes().loss_rows;
  const Tensor logits = Tensor::empty({std::min(chunk, rows), classes});
  if (recording && rows == 0) {
    dw.zero();
    if (db.defined()) db.zero();
  }

  // The gradient is linear in the loss gradient, which is known only later. It is computed for 1
  // now, while the logits exist.
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    const std::int64_t end = std::min(rows, begin + chunk);
    const Tensor part = logits.slice_rows(0, end - begin);
    const Tensor input = x.value().slice_rows(begin, end);
    const Ids wanted = targets.slice(begin, end);
    backend()->linear(input, weight.value(), bias.value(), {.precision = precision}, part);
    backend()->cross_entropy(part, wanted, options.label_smoothing, recording ? scale : 0.0f,
                             losses.slice_rows(begin, end), nll.slice_rows(begin, end));
    if (!recording) continue;
    const float beta = begin == 0 ? 0.0f : 1.0f;
    backend()->matmul(part, weight.value(), {.precision = precision}, dx.slice_rows(begin, end));
    backend()->matmul(part, input, {.transpose_a = true, .beta = beta, .precision = precision}, dw);
    if (db.defined()) backend()->sum_rows(part, beta, db);
  }

  const DeviceScalar total = backend()->sum(losses);
  const Tensor loss = scaled_loss(total, scale);
  Variable recorded = record(
      loss, {&x, &weight, &bias},
      [dx, dw, db, to_x = x.sink(), to_w = weight.sink(), to_b = bias.sink()](const Tensor& dloss) {
        send(to_x, dx, dloss);
        send(to_w, dw, dloss);
        if (db.defined()) send(to_b, db, dloss);
      });
  return {recorded, total, backend()->sum(nll)};
}

CrossEntropy paired_cross_entropy(const Variable& x, const AffineMap& output, const Ids& targets,
                                  float divergence, const CrossEntropyOptions& options) {
  constexpr std::string_view op = "paired_cross_entropy";
  const auto& [weight, bias] = output;
  check_projection(op, x.shape(), {weight.value(), bias.value()});
  const std::int64_t rows = std::ssize(*targets), classes = weight.dim(0);
  detail::expect(x.dim(0) == 2 * rows, op, "x [2N, D] and N targets", x.shape(), Shape{rows});
  check_classes(op, classes, *targets);
  check_smoothing(op, options);
  if (!(divergence >= 0.0f))
    throw ConfigError(
        fmt::format("[{}] expected a divergence of 0 or more, got {}", op, divergence));

  const Tensor losses = Tensor::empty({rows});
  const Tensor nll = Tensor::empty({rows});
  const float scale = gradient_scale(options, targets->size());
  const Precision precision = options.precision;
  const bool recording = will_record({&x, &weight, &bias});
  const PairedLoss paired{options.label_smoothing, divergence, recording ? scale : 0.0f};
  const Tensor dx = recording ? Tensor::empty(x.shape()) : Tensor();
  const Tensor dw = recording ? Tensor::zeros(weight.shape()) : Tensor();
  const Tensor db = recording && bias.defined() ? Tensor::zeros(bias.shape()) : Tensor();
  const std::int64_t chunk = backend()->block_sizes().loss_rows / 2,
                     most = 2 * std::min(chunk, rows);
  const Tensor logits = Tensor::empty({most, classes}), both = Tensor::empty({most, x.dim(1)});

  // The rows of both predictions in one matrix, so that a GEMM packs the weights only once.
  for (std::int64_t begin = 0; begin < rows; begin += chunk) {
    const std::int64_t end = std::min(rows, begin + chunk), count = end - begin;
    const Tensor input = both.slice_rows(0, 2 * count), part = logits.slice_rows(0, 2 * count);
    input.slice_rows(0, count).copy_from(x.value().slice_rows(begin, end));
    input.slice_rows(count, 2 * count).copy_from(x.value().slice_rows(rows + begin, rows + end));
    backend()->linear(input, weight.value(), bias.value(), {.precision = precision}, part);
    const Ids wanted = targets.slice(begin, end);
    backend()->paired_cross_entropy(part.slice_rows(0, count), part.slice_rows(count, 2 * count),
                                    wanted, paired, losses.slice_rows(begin, end),
                                    nll.slice_rows(begin, end));
    if (!recording) continue;
    backend()->matmul(part, input, {.transpose_a = true, .beta = 1.0f, .precision = precision}, dw);
    if (db.defined()) backend()->sum_rows(part, 1.0f, db);
    backend()->matmul(part, weight.value(), {.precision = precision}, input);
    dx.slice_rows(begin, end).copy_from(input.slice_rows(0, count));
    dx.slice_rows(rows + begin, rows + end).copy_from(input.slice_rows(count, 2 * count));
  }

  const DeviceScalar total = backend()->sum(losses);
  const Tensor loss = scaled_loss(total, scale);
  Variable recorded = record(
      loss, {&x, &weight, &bias},
      [dx, dw, db, to_x = x.sink(), to_w = weight.sink(), to_b = bias.sink()](const Tensor& dloss) {
        send(to_x, dx, dloss);
        send(to_w, dw, dloss);
        if (db.defined()) send(to_b, db, dloss);
      });
  return {recorded, total, backend()->sum(nll)};
}

std::vector<float> target_log_probabilities(const Tensor& x, const OutputProjection& output,
                                            std::span<const std::int32_t> targets) {
  const std::int64_t classes = output.weight.dim(0);
  check_projection("target_log_probabilities", x.shape(), output);
  check_targets("target_log_probabilities", x.shape(), classes, targets);
  const Ids wanted = std::vector(targets.begin(), targets.end());
  const Tensor picked = Tensor::empty({x.rows(), 1});
  const std::int64_t chunk = backend()->block_sizes().loss_rows;
  const Tensor logits = Tensor::empty({std::min(chunk, x.rows()), classes});
  for (std::int64_t begin = 0; begin < x.rows(); begin += chunk) {
    const std::int64_t end = std::min(x.rows(), begin + chunk);
    const Tensor part = logits.slice_rows(0, end - begin);
    backend()->linear(x.slice_rows(begin, end), output.weight, output.bias, {}, part);
    backend()->log_softmax(part, part);
    backend()->gather_columns(part, wanted.slice(begin, end), 0.0f, picked.slice_rows(begin, end));
  }
  return picked.to_vector();
}

}  // namespace attend
