// The scorer of several encoder-decoders that write the same tokens: the arithmetic mean of their
// probabilities at every step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attend/decode/scorers/encoder_decoder_scorer.h"

namespace attend {

class EnsembleScorer final : public TranslationScorer {
 public:
  // Without sentences. At least one model, which all must outlive the scorer. They have
  // vocabularies of the same size.
  explicit EnsembleScorer(std::span<const EncoderDecoder* const> models);

  // Every model encodes the sentences. Outputs are as long as the model with the fewest positions
  // allows. If this throws, the scorer cannot be used any more.
  void join(const EncoderDecoderInput& input) override;

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  // log p, which sums to 1.
  Tensor logits(std::int64_t begin, std::int64_t end) override;

 private:
  std::vector<std::unique_ptr<EncoderDecoderScorer>> members_;
};

}  // namespace attend
