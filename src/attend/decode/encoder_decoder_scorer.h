// The scorer of an encoder-decoder; any token may come next, except suppressed ones.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attend/decode/translation_scorer.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

class EncoderDecoderScorer final : public VocabularyScorer {
 public:
  // Without sentences. `model` must outlive the scorer. suppressed: tokens that are never chosen.
  explicit EncoderDecoderScorer(const EncoderDecoder& model,
                                std::span<const std::int32_t> suppressed = {});
  // With these sentences, which have the same prefix.
  EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                       std::span<const std::int32_t> prefix,
                       std::span<const std::int32_t> suppressed = {});

  // If this throws, nothing has changed.
  void join(const EncoderDecoderInput& input) override;

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;

  // The hidden states [R, D] of the last step.
  const Tensor& hidden() const { return hidden_; }

 private:
  BestTokens most_likely(std::int64_t hypotheses, int k) override;
  // The longest sensible output for a source, in tokens, forced ones included.
  std::int64_t max_length(std::int64_t source_tokens, const DecoderPrefix& prefix) const;

  const EncoderDecoder& model_;
  std::unique_ptr<DecodingState> state_;
  Tensor hidden_;
};

}  // namespace attend
