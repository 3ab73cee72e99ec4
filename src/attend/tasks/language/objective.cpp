#include "attend/tasks/language/objective.h"

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
                    : model_.network->loss(windows.input, windows.target, options, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Validation LanguageObjective::validate() {
  double nll = 0;
  for (std::int64_t i = 0; i < validation_->batches.batches(); ++i)
    nll += negative_log_likelihood(*model_.network, validation_->batches.batch(i));
  Validation result;
  result.loss = result.nll = nll / static_cast<double>(validation_->targets);
  result.score = -result.nll;
  return result;
}

}  // namespace attend
