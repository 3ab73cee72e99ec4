#include "attend/tasks/translation_objective.h"

#include "attend/metrics/bleu.h"

namespace attend {

namespace {

Tokens tokens_of(const Ragged& ragged) { return Tokens::copy(ragged.ids, ragged.offsets); }

}  // namespace

TranslationObjective::TranslationObjective(TranslationModel model, TranslationBatcher batches, float label_smoothing,
                                           std::optional<TranslationValidation> validation)
    : model_(std::move(model)),
      translator_(model_),
      batches_(std::move(batches)),
      label_smoothing_(label_smoothing),
      validation_(std::move(validation)) {}

BatchSize TranslationObjective::size(std::int64_t epoch, std::int64_t batch) {
  const TranslationBatcher::Size size = batches_.size(epoch, batch);
  return {size.tgt_tokens, size.src_tokens};
}

BatchLoss TranslationObjective::loss(std::int64_t epoch, std::int64_t batch, double normalizer, Pass& pass) {
  return loss_of(batches_.batch(epoch, batch), normalizer, pass);
}

BatchLoss TranslationObjective::loss_of(const TranslationBatch& batch, double normalizer, Pass& pass) const {
  const auto targets = std::make_shared<const std::vector<std::int32_t>>(batch.tgt_out);
  CrossEntropy result = model_.network->loss(tokens_of(batch.src), tokens_of(batch.tgt_in), targets, {label_smoothing_, normalizer}, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

Validation TranslationObjective::validate() {
  const NoGradient guard;
  Validation result;
  double targets = 0;
  for (std::int64_t i = 0; i < validation_->batches.batches(0); ++i) {
    const TranslationBatch batch = validation_->batches.batch(0, i);
    Pass pass = Pass::inference();
    const BatchLoss part = loss_of(batch, 1.0, pass);
    result.loss += part.loss_sum;
    result.nll += part.nll_sum;
    targets += static_cast<double>(batch.tgt_out.size());
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
