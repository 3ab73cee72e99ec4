// The scorer of an encoder-decoder; any token may come next, except suppressed ones.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attend/decode/scorer.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

// What the decoder reads before it writes a sentence: see Arrival.
struct DecoderPrefix {
  std::vector<std::int32_t> tokens;
  std::int64_t forced = 0;
};

// Sentences that are encoded together, and the prefix of each.
struct EncoderDecoderInput {
  const Ragged& src;
  std::span<const DecoderPrefix> prefixes;
};

// Makes tokens impossible. Returns whether there are any.
bool suppress(std::span<const std::int32_t> tokens, const Tensor& logits);
// The k best of `found` that are not among `tokens`, for columns that are tokens.
BestTokens without_suppressed(const BestTokens& found, std::span<const std::int32_t> tokens, int k);

class EncoderDecoderScorer final : public Scorer {
 public:
  // Without sentences. `model` must outlive the scorer. suppressed: tokens that are never chosen;
  // the probabilities of the others stay the model's.
  explicit EncoderDecoderScorer(const EncoderDecoder& model,
                                std::span<const std::int32_t> suppressed = {});
  // With these sentences, which have the same prefix.
  EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                       std::span<const std::int32_t> prefix,
                       std::span<const std::int32_t> suppressed = {});

  // Encodes sentences. Throws like DecodingState::join(), and nothing has then changed.
  void join(const EncoderDecoderInput& input);

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  bool adjust(std::int64_t begin, const Tensor& logits) override;
  BestTokens best(std::int64_t hypotheses, int k) override;
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return static_cast<std::int32_t>(column);
  }

  // The hidden states [R, D] of the last step.
  const Tensor& hidden() const { return hidden_; }

 private:
  // The longest sensible output for a source, in tokens, forced ones included.
  std::int64_t max_length(std::int64_t source_tokens, const DecoderPrefix& prefix) const;

  const EncoderDecoder& model_;
  std::vector<std::int32_t> suppressed_;
  std::unique_ptr<DecodingState> state_;
  Tensor hidden_;
};

}  // namespace attend
