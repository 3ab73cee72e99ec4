#include "attend/tasks/translation/training/guided_alignment.h"

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

int aligning_layer_of(const ArchitectureConfig& config) {
  const auto* const transformer = std::get_if<TransformerConfig>(&config);
  if (transformer == nullptr)
    throw OptionError<ConfigError>("{}: expected {} transformer, whose heads can learn alone",
                                   as_key("guided-alignment"), as_flag("arch"));
  const AttentionVariant& variant = transformer->attention;
  if (variant.scores == AttentionScores::additive || variant.choice != AttentionChoice::soft ||
      transformer->attention_cap > 0.0f)
    throw OptionError<ConfigError>("{} needs {} dot and {} soft, and goes without {}",
                                   as_key("guided-alignment"), as_key("attention-scores"),
                                   as_key("attention-choice"), as_key("attention-cap"));
  return std::max(0, transformer->n_decoder_layers - 2);
}

GuidedAlignment::GuidedAlignment(const EncodedPairs& pairs, const TranslationModel& model)
    : aligner_(pairs, model.src_tokenizer.vocab_size(), model.tgt_tokenizer.vocab_size()),
      module_(model.aligning_module()) {}

std::shared_ptr<const AttentionGuide> GuidedAlignment::of(const TranslationBatch& batch, int passes,
                                                          float factor) const {
  auto guide = std::make_shared<AttentionGuide>();
  guide->module = module_;
  guide->factor = factor;
  std::int64_t begin = 0;  // of the weights of a pair
  for (std::int64_t i = 0; i < batch.src.sequences(); ++i) {
    const std::span<const std::int32_t> src = batch.src[i];
    const std::span<const std::int32_t> tgt =
        std::span(*batch.tgt_out)
            .subspan(static_cast<std::size_t>(batch.tgt_in.begin_of(i)), batch.tgt_in[i].size());
    const std::vector<std::int32_t> links = aligner_.links(src, tgt);
    // The row of a token is the one that predicts it.
    for (std::int64_t row = 0; row < std::ssize(links); ++row)
      if (const std::int32_t column = links[static_cast<std::size_t>(row)];
          column != WordAligner::kNone)
        guide->places.push_back(begin + row * std::ssize(src) + column);
    begin += std::ssize(tgt) * std::ssize(src);
  }
  const std::size_t once = guide->places.size();
  for (int pass = 1; pass < passes; ++pass)
    for (std::size_t i = 0; i < once; ++i) guide->places.push_back(guide->places[i] + pass * begin);
  return guide;
}

double GuidedAlignment::linked(const EncodedPairs& pairs) const {
  std::int64_t links = 0;
  for (std::int64_t i = 0; i < pairs.src.sequences(); ++i)
    for (const std::int32_t link : aligner_.links(pairs.src[i], pairs.tgt[i]))
      links += link != WordAligner::kNone ? 1 : 0;
  return static_cast<double>(links) /
         static_cast<double>(std::max<std::int64_t>(1, pairs.tgt.tokens()));
}

}  // namespace attend
