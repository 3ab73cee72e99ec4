#include "attend/tasks/translation_objective.h"

#include "attend/metrics/bleu.h"

namespace attend {

namespace {

// A batch as the model takes it.
struct Samples {
  Tokens src, tgt;
  Ids targets;

  explicit Samples(const TranslationBatch& batch)
      : src(Tokens::copy(batch.src.ids, batch.src.offsets)),
        tgt(Tokens::copy(batch.tgt_in.ids, batch.tgt_in.offsets)),
        targets(std::make_shared<const std::vector<std::int32_t>>(batch.tgt_out)) {}
};

}  // namespace

TranslationObjective::TranslationObjective(TranslationModel model, TranslationBatcher batches, TranslationLoss loss,
                                           std::optional<TranslationValidation> validation)
    : model_(std::move(model)), translator_(model_), batches_(std::move(batches)), loss_(loss), validation_(std::move(validation)) {}

BatchSize TranslationObjective::size(std::int64_t epoch, std::int64_t batch) {
  const TranslationBatcher::Size size = batches_.size(epoch, batch);
  return {size.tgt_tokens, size.src_tokens};
}

std::vector<std::int64_t> TranslationObjective::phases() const {
  if (makes_two_passes(0) || loss_.r_drop == 0.0f) return {0};
  return {0, loss_.r_drop_after};
}

BatchLoss TranslationObjective::loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) {
  const Samples samples(batches_.batch(epoch, batch));
  const CrossEntropyOptions options{loss_.label_smoothing, normalizer};
  CrossEntropy result = makes_two_passes(epoch)
                            ? model_.network->paired_loss(samples.src, samples.tgt, samples.targets, loss_.r_drop, options, pass)
                            : model_.network->loss(samples.src, samples.tgt, samples.targets, options, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Validation TranslationObjective::validate() {
  const NoGradient guard;
  Validation result;
  double targets = 0;
  for (std::int64_t i = 0; i < validation_->batches.batches(0); ++i) {
    const Samples samples(validation_->batches.batch(0, i));
    Pass pass = Pass::inference();
    const CrossEntropy part = model_.network->loss(samples.src, samples.tgt, samples.targets, {loss_.label_smoothing, 1.0}, pass);
    result.loss += part.loss_sum;
    result.nll += part.nll;
    targets += static_cast<double>(samples.targets->size());
  }
  result.loss /= targets;
  result.nll /= targets;

  std::vector<std::string> hypotheses;
  for (const Translation& translation : translator_.translate(validation_->text.src, validation_->decoding)) {
    hypotheses.push_back(translation.text());
  }
  BleuOptions options;
  options.tokenization = validation_->pretokenized ? BleuTokenization::kNone : BleuTokenization::k13a;
  result.score = corpus_bleu(hypotheses, {validation_->text.tgt}, options).score;
  result.metrics.emplace_back("bleu", result.score);
  return result;
}

}  // namespace attend
