#include "attend/tasks/classification/objective.h"

#include <algorithm>

#include "attend/metrics.h"

namespace attend {

namespace {

// Drops tokens by the mask's first column; keeps the first and last token of a text, its special
// tokens.
Ragged without_some(const Ragged& texts, const Dropout& mask) {
  if (mask.p == 0.0f) return texts;
  RaggedBuilder kept;
  for (std::int64_t b = 0; b < texts.sequences(); ++b) {
    const std::int32_t begin = texts.begin_of(b), end = begin + texts.length(b);
    for (std::int32_t n = begin; n < end; ++n) {
      const bool keeps = n == begin || n + 1 == end ||
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

CrossEntropy ClassificationObjective::loss_of(const Variable& logits, const Ids& labels,
                                              double normalizer, const Pass& pass) const {
  return cross_entropy(logits, labels,
                       {loss_.label_smoothing, normalizer, loss_.class_weights, pass.precision()});
}

BatchLoss ClassificationObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                        Pass& pass) {
  const ClassificationBatch batch = batches_.batch(epoch, index);
  const Ragged texts = without_some(batch.text, pass.dropout(loss_.word_dropout));
  CrossEntropy result =
      loss_of(model_.network->forward(texts, pass), batch.labels, normalizer, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Validation ClassificationObjective::validate() {
  const NoGradient guard;
  Validation result;
  ConfusionMatrix confusion(model_.labels);
  for (std::int64_t i = 0; i < validation_->batches(0); ++i) {
    const ClassificationBatch batch = validation_->batch(0, i);
    Pass pass = Pass::inference();
    const Variable logits = model_.network->forward(batch.text, pass);
    const Tensor scores = logits.value().to_host();
    for (std::int64_t b = 0; b < scores.rows(); ++b) {
      const float* row = scores.row(b);
      confusion.add(batch.labels[b], std::max_element(row, row + scores.cols()) - row);
    }
    const CrossEntropy part = loss_of(logits, batch.labels, 1.0, pass);
    result.loss += part.loss_sum;
    result.nll += part.nll;
  }
  const auto texts = static_cast<double>(confusion.total());
  result.loss /= texts;
  result.nll /= texts;
  result.score =
      best_by_ == ClassificationScore::accuracy ? confusion.accuracy() : confusion.macro_f1();
  if (best_by_ == ClassificationScore::loss) result.score = -result.loss;
  result.metrics = {{"accuracy", confusion.accuracy()}, {"macro_f1", confusion.macro_f1()}};
  return result;
}

}  // namespace attend
