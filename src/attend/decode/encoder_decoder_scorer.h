// The scorer of an encoder-decoder; any token may come next, except suppressed ones.
#pragma once

#include <memory>
#include <vector>

#include "attend/decode/scorer.h"
#include "attend/models/encoder_decoder.h"

namespace attend {

class EncoderDecoderScorer final : public Scorer {
 public:
  // Encodes the sources. `model` must outlive the scorer. begin: what the decoder reads before it
  // writes, at least one token. suppressed: tokens that are never chosen; the probabilities of the
  // others stay the model's.
  EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                       std::span<const std::int32_t> begin,
                       std::span<const std::int32_t> suppressed = {});

  std::int64_t sentences() const override;
  std::int32_t first_token(std::int64_t) const override { return begin_.back(); }
  std::int64_t max_length(std::int64_t sentence) const override;
  void step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  bool adjust(std::int64_t begin, const Tensor& logits) override;
  BestTokens best(std::int64_t hypotheses, int k) override;
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return static_cast<std::int32_t>(column);
  }

  // The hidden states [R, D] of the last step.
  const Tensor& hidden() const { return hidden_; }

 private:
  const EncoderDecoder& model_;
  Ids src_offsets_;
  std::vector<std::int32_t> begin_;
  std::vector<std::int32_t> suppressed_;
  std::unique_ptr<DecodingState> state_;
  Tensor hidden_;
};

}  // namespace attend
