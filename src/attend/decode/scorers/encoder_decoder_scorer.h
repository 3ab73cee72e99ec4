// The scorer of an encoder-decoder.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attend/decode/scorers/translation_scorer.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

class EncoderDecoderScorer final : public TranslationScorer {
 public:
  // Without sentences. `model` must outlive the scorer.
  explicit EncoderDecoderScorer(const EncoderDecoder& model);
  // With these sentences, which have the same prefix.
  EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                       std::span<const std::int32_t> prefix);

  // If this throws, nothing has changed.
  void join(const EncoderDecoderInput& input) override;

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;

  // The hidden states [R, D] of the last step.
  const Tensor& hidden() const { return hidden_; }

 private:
  BestTokens unchanged_best(std::int64_t begin, std::int64_t end, int k) override;
  // The longest sensible output for a source, in tokens, forced ones included.
  std::int64_t max_length(std::int64_t source_tokens, const DecoderPrefix& prefix) const;

  const EncoderDecoder& model_;
  std::unique_ptr<DecodingState> state_;
  Tensor hidden_;
};

}  // namespace attend
