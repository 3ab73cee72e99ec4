#include "attend/tasks/translation/training/objective.h"

#include <cmath>
#include <limits>

#include "attend/checkpoint/finite.h"
#include "attend/collective/shared_work.h"
#include "attend/metrics/bleu.h"
#include "attend/ops/losses/distillation.h"

namespace attend {

namespace {

void append_sources(std::vector<TokenizedSentence>& sources, const TranslationBatch& batch) {
  for (std::int64_t i = 0; i < batch.src.sequences(); ++i)
    sources.push_back({{batch.src[i].begin(), batch.src[i].end()}});
}

}  // namespace

std::vector<std::string> references_of(const EncodedPairs& pairs, const ParallelText& text) {
  std::vector<std::string> references;
  for (const std::int32_t i : pairs.origin)
    references.push_back(text.tgt[static_cast<std::size_t>(i)]);
  return references;
}

SoftTargets Distillation::of(const TranslationBatch& batch) const {
  if (!text) return {};
  std::vector<std::int32_t> pairs;
  for (const std::int32_t pair : batch.pairs)
    pairs.push_back(origin[static_cast<std::size_t>(pair)]);
  return text->of(pairs, weight);
}

TranslationObjective::TranslationObjective(TranslationModel model, TranslationBatcher batches,
                                           TranslationLoss loss,
                                           std::optional<TranslationValidation> validation)
    : model_(std::move(model)),
      translator_(model_),
      batches_(std::move(batches)),
      loss_(loss),
      validation_(std::move(validation)) {}

BatchSize TranslationObjective::size(std::int64_t epoch, std::int64_t batch) {
  const TranslationBatcher::Size size = batches_.size(epoch, batch);
  return {size.tgt_tokens, size.src_tokens};
}

std::vector<std::int64_t> TranslationObjective::phases() const {
  if (makes_two_passes(0) || loss_.r_drop == 0.0f) return {0};
  return {0, loss_.r_drop_after};
}

BatchLoss TranslationObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                     Pass& pass) {
  const TranslationBatch batch = batches_.batch(epoch, index);
  CrossEntropyOptions options{loss_.label_smoothing, normalizer};
  options.soft = loss_.distillation.of(batch);
  const bool two_passes = makes_two_passes(epoch);
  pass.guide = loss_.alignment ? guide_of(batch, two_passes, normalizer) : nullptr;
  CrossEntropy result =
      loss_.distillation.computes() ? distilled_loss(batch, two_passes, options, pass)
      : two_passes ? model_.network->paired_loss(batch.src, batch.tgt_in, batch.tgt_out,
                                                 loss_.r_drop, options, pass)
                   : model_.network->loss(batch.src, batch.tgt_in, batch.tgt_out, options, pass);
  return {std::move(result.loss), result.loss_sum, result.nll};
}

// The mean over two passes, like that of their cross-entropies.
std::shared_ptr<const AttentionGuide> TranslationObjective::guide_of(const TranslationBatch& batch,
                                                                     bool two_passes,
                                                                     double normalizer) const {
  const int passes = two_passes ? 2 : 1;
  return loss_.alignment->of(batch, passes,
                             static_cast<float>(loss_.guided_alignment / (normalizer * passes)));
}

CrossEntropy TranslationObjective::distilled_loss(const TranslationBatch& batch, bool two_passes,
                                                  const CrossEntropyOptions& options,
                                                  Pass& pass) const {
  const auto logits = [](const EncoderDecoder& network, const Ragged& src, const Ragged& tgt,
                         Pass& of) {
    return network.project(network.decode(tgt, network.encode(src, of), src, of));
  };
  std::vector<Tensor> wanted;
  for (const auto& teacher : loss_.distillation.teachers) {
    Pass as_it_is = Pass::inference();
    wanted.push_back(logits(*teacher, batch.src, batch.tgt_in, as_it_is).value());
  }
  const Tensor mean = mean_of_teachers(std::move(wanted));
  const float weight = loss_.distillation.weight;
  if (!two_passes)
    return distilled_cross_entropy(logits(*model_.network, batch.src, batch.tgt_in, pass), mean,
                                   batch.tgt_out, weight, pass.in_precision(options));
  return paired_distilled_cross_entropy(
      logits(*model_.network, batch.src.twice(), batch.tgt_in.twice(), pass), mean, batch.tgt_out,
      weight, loss_.r_drop, pass.in_precision(options));
}

std::optional<std::vector<std::string>> TranslationObjective::hypotheses_of(
    std::vector<TokenizedSentence> sources) const {
  std::vector<std::string> hypotheses;
  try {
    for (const Translation& translation :
         translator_.translate_ids(std::move(sources), validation_->decoding))
      hypotheses.push_back(translation.text());
  } catch (const NotFiniteError&) {
    return std::nullopt;
  }
  return hypotheses;
}

Validation TranslationObjective::validate_together(Collective& processes) {
  const NoGradient guard;
  std::vector<TokenizedSentence> sources;  // of this process
  const std::vector<double> sums = compute_sharded(
      processes, validation_->batches.batches(0), 3,
      [&](std::int64_t i, std::span<double> numbers) {
        const TranslationBatch batch = validation_->batches.batch(0, i);
        append_sources(sources, batch);
        Pass pass = Pass::inference();
        const CrossEntropy part = model_.network->loss(batch.src, batch.tgt_in, batch.tgt_out,
                                                       {loss_.label_smoothing, 1.0}, pass);
        numbers[0] = part.loss_sum;
        numbers[1] = part.nll;
        numbers[2] = static_cast<double>(batch.tgt_out->size());
      });
  Validation result;
  double targets = 0;
  for (std::size_t i = 0; i < sums.size(); i += 3) {
    result.loss += sums[i];
    result.nll += sums[i + 1];
    targets += sums[i + 2];
  }
  result.loss /= targets;
  result.nll /= targets;
  if (!std::isfinite(result.loss)) return result;

  const auto own = hypotheses_of(std::move(sources));
  if (largest_number(processes, own ? 0.0 : 1.0) > 0.0) {
    result.loss = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  const std::vector<std::string> hypotheses = gather_texts(processes, *own);
  BleuOptions options;
  options.tokenization =
      validation_->pretokenized ? BleuTokenization::none : BleuTokenization::k13a;
  result.score = corpus_bleu(hypotheses, {validation_->references}, options).score;
  result.metrics.emplace_back("bleu", result.score);
  return result;
}

}  // namespace attend
