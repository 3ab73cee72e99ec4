#include "attend/tasks/language/objective.h"

#include <numeric>

#include "attend/collective/shared_work.h"
#include "attend/ops/losses/distillation.h"
#include "attend/tasks/language/perplexity.h"

namespace attend {

LanguageObjective::LanguageObjective(LanguageModel model, LanguageBatcher batches,
                                     LanguageLoss loss,
                                     std::optional<LanguageValidation> validation)
    : model_(std::move(model)),
      batches_(std::move(batches)),
      loss_(std::move(loss)),
      validation_(std::move(validation)) {}

BatchLoss LanguageObjective::loss(std::int64_t epoch, std::int64_t batch, double normalizer,
                                  Pass& pass) {
  const LanguageBatch windows = batches_.batch(epoch, batch);
  const CrossEntropyOptions options{loss_.label_smoothing, normalizer};
  CrossEntropy result =
      loss_.sampler ? model_.network->sampled_loss(windows.input, windows.target,
                                                   loss_.sampler->draw(epoch, batch), options, pass)
                    : loss_of(windows, options, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

CrossEntropy LanguageObjective::loss_of(const LanguageBatch& windows,
                                        const CrossEntropyOptions& options, Pass& pass) const {
  const auto& [teachers, weight] = loss_.distillation;
  if (teachers.empty()) return model_.network->loss(windows.input, windows.target, options, pass);
  std::vector<Tensor> wanted;
  for (const auto& teacher : teachers) {
    Pass as_it_is = Pass::inference();
    wanted.push_back(teacher->logits(windows.input, as_it_is).value());
  }
  return distilled_cross_entropy(model_.network->logits(windows.input, pass),
                                 mean_of_teachers(std::move(wanted)), windows.target, weight,
                                 pass.in_precision(options));
}

Validation LanguageObjective::validate_together(Collective& processes) {
  const std::vector<double> sums = compute_sharded(
      processes, validation_->batches.batches(), 1, [&](std::int64_t i, std::span<double> sum) {
        sum[0] = negative_log_likelihood(*model_.network, validation_->batches.batch(i));
      });
  const double nll = std::accumulate(sums.begin(), sums.end(), 0.0);
  Validation result;
  result.loss = result.nll = nll / static_cast<double>(validation_->targets);
  result.score = -result.nll;
  return result;
}

}  // namespace attend
