#include "attend/tasks/classification/objective.h"

#include <algorithm>
#include <span>

#include "attend/collective/shared_work.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/losses/distillation.h"
#include "attend/ops/losses/target_losses.h"
#include "attend/ops/slices.h"

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

// Subtracts the number of each second text from that of the text before it. [2 B, 1] -> [B, 1].
Variable differences(const Variable& numbers) {
  const Variable sides = reshape(numbers, {numbers.value().rows() / 2, 2});
  return linear(sides, Variable(Tensor::from(std::vector<float>{1.0f, -1.0f}, {1, 2})));
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
      best_by_(best_by) {
  const double largest = batches_.largest_target();
  if (model_.network->config().problem_type == ProblemType::regression)
    largest_error_ = std::max(1.0, largest * largest);
}

BatchSize ClassificationObjective::size(std::int64_t epoch, std::int64_t batch) {
  const ClassificationBatcher::Size size = batches_.size(epoch, batch);
  return {size.texts, size.tokens};
}

BatchLoss ClassificationObjective::loss_of(const Variable& logits, const ClassificationBatch& batch,
                                           double normalizer, const Pass& pass) const {
  const ProblemType problem = model_.network->config().problem_type;
  if (problem == ProblemType::regression) {
    SquaredError result =
        squared_error(batch.together == 2 ? differences(logits) : logits,
                      Tensor::from(batch.targets, {std::ssize(batch.targets), 1}), normalizer);
    return {std::move(result.loss), result.loss_sum, result.loss_sum};
  }
  const CrossEntropyOptions options{loss_.label_smoothing, normalizer, loss_.class_weights,
                                    pass.precision()};
  const bool has_distributions = problem == ProblemType::single_label && !batch.targets.empty();
  CrossEntropy result =
      has_distributions
          ? soft_cross_entropy(logits, Tensor::from(batch.targets, logits.shape()), normalizer)
      : problem == ProblemType::multi_label ? binary_cross_entropy(logits, batch.targets, options)
                                            : cross_entropy(logits, batch.labels, options);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Ragged ClassificationObjective::training_texts(const Ragged& texts, Pass& pass) const {
  return without_some(texts, pass.dropout(loss_.word_dropout),
                      model_.pairs ? model_.tokenizer.eos_id() : -1);
}

BatchLoss ClassificationObjective::paired_loss(const ClassificationBatch& batch, double normalizer,
                                               Pass& pass) const {
  const Variable features = model_.features(training_texts(batch.text.twice(), pass), pass);
  CrossEntropy result = paired_cross_entropy(
      features, model_.network->output_map(), batch.labels, loss_.r_drop,
      pass.in_precision(CrossEntropyOptions{loss_.label_smoothing, normalizer}));
  return {std::move(result.loss), result.loss_sum, result.nll};
}

// The teachers read what the model reads.
BatchLoss ClassificationObjective::distilled_loss(const ClassificationBatch& batch,
                                                  double normalizer, Pass& pass) const {
  const auto& [teachers, weight] = loss_.distillation;
  const Ragged texts = training_texts(batch.text, pass);
  std::vector<Tensor> wanted;
  for (const auto& teacher : teachers) {
    Pass as_it_is = Pass::inference();
    wanted.push_back(teacher->logits(texts, as_it_is).value());
  }
  CrossEntropy result = distilled_cross_entropy(
      model_.logits(texts, pass), mean_of_teachers(std::move(wanted)), batch.labels, weight,
      pass.in_precision(CrossEntropyOptions{loss_.label_smoothing, normalizer}));
  return {std::move(result.loss), result.loss_sum, result.nll};
}

BatchLoss ClassificationObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                        Pass& pass) {
  const ClassificationBatch batch = batches_.batch(epoch, index);
  if (loss_.r_drop > 0.0f) return paired_loss(batch, normalizer, pass);
  if (!loss_.distillation.teachers.empty()) return distilled_loss(batch, normalizer, pass);
  return loss_of(model_.logits(training_texts(batch.text, pass), pass), batch, normalizer, pass);
}

ClassifierScores ClassificationObjective::scores_of(std::span<const float> outputs) const {
  const ProblemType problem = model_.network->config().problem_type;
  ClassifierScores scores(problem, model_.labels);
  std::int64_t texts = 0;
  for (std::int64_t i = 0; i < validation_->batches(0); ++i) texts += validation_->size(0, i).texts;
  const std::size_t width = outputs.size() / static_cast<std::size_t>(texts);
  for (std::int64_t i = 0; i < validation_->batches(0); ++i) {
    const ClassificationBatch batch = validation_->batch(0, i);
    for (std::int64_t b = 0; b < batch.text.sequences(); ++b) {
      const std::span<const float> row = outputs.first(width);
      outputs = outputs.subspan(width);
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
  }
  return scores;
}

Validation ClassificationObjective::validate_together(Collective& processes) {
  const NoGradient guard;
  std::vector<float> own;  // the outputs of this process's texts
  const std::vector<double> sums = compute_sharded(
      processes, validation_->batches(0), 2, [&](std::int64_t i, std::span<double> numbers) {
        const ClassificationBatch batch = validation_->batch(0, i);
        Pass pass = Pass::inference();
        const Variable logits = model_.logits(batch.text, pass);
        const std::vector<float> outputs = logits.value().to_vector();
        own.insert(own.end(), outputs.begin(), outputs.end());
        const BatchLoss part = loss_of(logits, batch, 1.0, pass);
        numbers[0] = part.loss_sum;
        numbers[1] = part.nll_sum;
      });
  Validation result;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    result.loss += sums[i];
    result.nll += sums[i + 1];
  }
  const ClassifierScores scores = scores_of(gather_lists<float>(processes, own));
  const auto texts = static_cast<double>(scores.total());
  result.loss /= texts;
  result.nll /= texts;
  result.metrics = scores.metrics();
  result.score_by(enum_names(best_by_)[static_cast<std::size_t>(best_by_)]);
  return result;
}

}  // namespace attend
