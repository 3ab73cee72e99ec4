#include "attend/tasks/classification/objective.h"

#include <algorithm>
#include <span>

#include "attend/ops/target_losses.h"

namespace attend {

namespace {

// Drops tokens by the mask's first column; keeps the first and last token of a text, its special
// tokens, and those between two texts, which are `separator`.
Ragged without_some(const Ragged& texts, const Dropout& mask, std::int32_t separator) {
  if (mask.p == 0.0f) return texts;
  RaggedBuilder kept;
  for (std::int64_t b = 0; b < texts.sequences(); ++b) {
    const std::int32_t begin = texts.begin_of(b), end = begin + texts.length(b);
    for (std::int32_t n = begin; n < end; ++n) {
      const bool keeps = n == begin || n + 1 == end || texts.ids[n] == separator ||
                         mask.key.bits16(static_cast<std::uint32_t>(n), 0) >= mask.threshold();
      if (keeps) kept.append((*texts.ids)[static_cast<std::size_t>(n)]);
    }
    kept.end_sequence();
  }
  return kept.build();
}

}  // namespace

ClassificationObjective::ClassificationObjective(ClassificationModel model,
                                                 ClassificationBatcher batches,
                                                 ClassificationLoss loss,
                                                 std::optional<ClassificationBatcher> validation,
                                                 ClassificationScore best_by)
    : model_(std::move(model)),
      batches_(std::move(batches)),
      loss_(std::move(loss)),
      validation_(std::move(validation)),
      best_by_(best_by) {}

BatchSize ClassificationObjective::size(std::int64_t epoch, std::int64_t batch) {
  const ClassificationBatcher::Size size = batches_.size(epoch, batch);
  return {size.texts, size.tokens};
}

BatchLoss ClassificationObjective::loss_of(const Variable& logits, const ClassificationBatch& batch,
                                           double normalizer, const Pass& pass) const {
  const ProblemType problem = model_.network->config().problem_type;
  if (problem == ProblemType::regression) {
    SquaredError result = squared_error(
        logits, Tensor::from(batch.targets, {std::ssize(batch.targets), 1}), normalizer);
    return {std::move(result.loss), result.loss_sum, result.loss_sum};
  }
  const CrossEntropyOptions options{loss_.label_smoothing, normalizer, loss_.class_weights,
                                    pass.precision()};
  CrossEntropy result =
      problem == ProblemType::multi_label
          ? binary_cross_entropy(
                logits, std::vector<std::int32_t>(batch.targets.begin(), batch.targets.end()),
                options)
          : cross_entropy(logits, batch.labels, options);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

BatchLoss ClassificationObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                        Pass& pass) {
  const ClassificationBatch batch = batches_.batch(epoch, index);
  const Ragged texts = without_some(batch.text, pass.dropout(loss_.word_dropout),
                                    model_.pairs ? model_.tokenizer.eos_id() : -1);
  return loss_of(model_.logits(texts, pass), batch, normalizer, pass);
}

Validation ClassificationObjective::validate() {
  const NoGradient guard;
  Validation result;
  const ProblemType problem = model_.network->config().problem_type;
  ClassifierScores scores(problem, model_.labels);
  for (std::int64_t i = 0; i < validation_->batches(0); ++i) {
    const ClassificationBatch batch = validation_->batch(0, i);
    Pass pass = Pass::inference();
    const Variable logits = model_.logits(batch.text, pass);
    const Tensor outputs = logits.value().to_host();
    const auto width = static_cast<std::size_t>(outputs.cols());
    for (std::int64_t b = 0; b < outputs.rows(); ++b) {
      const std::span<const float> row(outputs.row(b), width);
      const auto gold = [&] {
        return std::span(batch.targets).subspan(static_cast<std::size_t>(b) * width, width);
      };
      if (problem == ProblemType::regression) {
        scores.add_number(gold().front(), row.front());
      } else if (problem == ProblemType::multi_label) {
        std::vector<bool> found(width);
        std::transform(row.begin(), row.end(), found.begin(), [](float x) { return x >= 0.0f; });
        scores.add_labels(gold(), found);
      } else {
        scores.add_label(batch.labels[b], std::max_element(row.begin(), row.end()) - row.begin());
      }
    }
    const BatchLoss part = loss_of(logits, batch, 1.0, pass);
    result.loss += part.loss_sum;
    result.nll += part.nll_sum;
  }
  const auto texts = static_cast<double>(scores.total());
  result.loss /= texts;
  result.nll /= texts;
  result.metrics = scores.metrics();
  result.score = result.metrics.front().second;
  for (const auto& [name, value] : result.metrics)
    if (name == enum_names(best_by_)[static_cast<std::size_t>(best_by_)]) result.score = value;
  if (best_by_ == ClassificationScore::loss) result.score = -result.loss;
  return result;
}

}  // namespace attend
