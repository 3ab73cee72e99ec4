#include "attend/tasks/tagging/objective.h"

#include <algorithm>

#include "attend/collective/shared_work.h"
#include "attend/metrics.h"
#include "attend/ops/losses/cross_entropy.h"

namespace attend {

namespace {

std::vector<std::int32_t> best_of_rows(const Tensor& scores) {
  std::vector<std::int32_t> best;
  for (std::int64_t row = 0; row < scores.rows(); ++row) {
    const float* const begin = scores.row(row);
    const auto largest = std::max_element(begin, begin + scores.cols()) - begin;
    best.push_back(static_cast<std::int32_t>(largest));
  }
  return best;
}

}  // namespace

TaggingObjective::TaggingObjective(TaggingModel model, TaggedBatcher batches, float label_smoothing,
                                   std::optional<TaggingValidation> validation,
                                   TaggingScore best_by)
    : model_(std::move(model)),
      batches_(std::move(batches)),
      label_smoothing_(label_smoothing),
      validation_(std::move(validation)),
      best_by_(best_by) {}

BatchSize TaggingObjective::size(std::int64_t epoch, std::int64_t batch) {
  const TaggedBatcher::Size size = batches_.size(epoch, batch);
  return {size.words, size.tokens};
}

BatchLoss TaggingObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                 Pass& pass) {
  const TaggedBatch batch = batches_.batch(epoch, index);
  CrossEntropy result =
      cross_entropy(model_.network->forward(batch.text, batch.rows, pass), batch.labels,
                    {.label_smoothing = label_smoothing_,
                     .normalizer = normalizer,
                     .precision = pass.precision()});
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Validation TaggingObjective::validate_together(Collective& processes) {
  const NoGradient guard;
  std::vector<std::int32_t> own;  // the tags of this process's words
  const std::vector<double> sums = compute_sharded(
      processes, validation_->parts.batches(0), 2, [&](std::int64_t i, std::span<double> numbers) {
        const TaggedBatch batch = validation_->parts.batch(0, i);
        Pass pass = Pass::inference();
        const Variable logits = model_.network->forward(batch.text, batch.rows, pass);
        const std::vector<std::int32_t> best = best_of_rows(logits.value().to_host());
        own.insert(own.end(), best.begin(), best.end());
        const CrossEntropy part = cross_entropy(
            logits, batch.labels, {.label_smoothing = label_smoothing_, .normalizer = 1.0});
        numbers[0] = part.loss_sum;
        numbers[1] = part.nll;
      });
  const std::vector<std::int32_t> found = gather_lists<std::int32_t>(processes, own);
  Validation result;
  for (std::size_t i = 0; i < sums.size(); i += 2) {
    result.loss += sums[i];
    result.nll += sums[i + 1];
  }
  result.loss /= static_cast<double>(found.size());
  result.nll /= static_cast<double>(found.size());
  add_scores(found, result);
  return result;
}

void TaggingObjective::add_scores(std::span<const std::int32_t> found, Validation& result) const {
  ConfusionMatrix words(model_.labels);
  EntityCounts entities;
  const auto names = [&](std::span<const std::int32_t> tags) {
    std::vector<std::string> all;
    for (const std::int32_t tag : tags) all.push_back(model_.labels[static_cast<std::size_t>(tag)]);
    return all;
  };
  for (const std::vector<std::int32_t>& gold : validation_->labels) {
    const std::span<const std::int32_t> of_text = found.first(gold.size());
    found = found.subspan(gold.size());
    entities.add(names(gold), names(of_text));
    for (std::size_t w = 0; w < gold.size(); ++w) words.add(gold[w], of_text[w]);
  }
  if (are_entity_tags(model_.labels)) {
    const ClassScores micro = entities.micro();
    result.metrics = {{"entity_f1", micro.f1},
                      {"entity_precision", micro.precision},
                      {"entity_recall", micro.recall},
                      {"accuracy", words.accuracy()},
                      {"macro_f1", words.macro_f1()}};
  } else {
    result.metrics = {{"accuracy", words.accuracy()}, {"macro_f1", words.macro_f1()}};
  }
  result.score_by(enum_names(best_by_)[static_cast<std::size_t>(best_by_)]);
}

}  // namespace attend
