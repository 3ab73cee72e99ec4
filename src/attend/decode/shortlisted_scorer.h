// The scorer of an encoder-decoder with a vocabulary shortlist.
//
// The output layer is reduced to the tokens of all sentences in the batch. Each sentence is
// normalized over its own tokens, so its result does not depend on the others.
#pragma once

#include <vector>

#include "attend/decode/encoder_decoder_scorer.h"
#include "attend/decode/shortlist.h"

namespace attend {

class ShortlistedScorer final : public Scorer {
 public:
  // Encodes the sources. begin: what the decoder reads before it writes. suppressed: tokens that
  // are never chosen. `model` must outlive the scorer. Throws DataError if the shortlist does not
  // match the model's vocabularies.
  ShortlistedScorer(const EncoderDecoder& model, const Ragged& src,
                    std::span<const std::int32_t> begin, const Shortlist& shortlist,
                    std::span<const std::int32_t> suppressed = {});

  std::int64_t sentences() const override { return whole_.sentences(); }
  std::int32_t first_token(std::int64_t sentence) const override {
    return whole_.first_token(sentence);
  }
  std::int64_t max_length(std::int64_t sentence) const override {
    return whole_.max_length(sentence);
  }
  void step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  std::int32_t token(std::int64_t hypothesis, std::int64_t column) const override;

 private:
  const std::vector<std::int32_t>& columns_of(std::int64_t hypothesis) const {
    return columns_[static_cast<std::size_t>(sentence_[static_cast<std::size_t>(hypothesis)])];
  }

  EncoderDecoderScorer whole_;
  std::vector<std::int32_t> tokens_;  // union over the sentences, ascending
  OutputProjection output_;           // for these tokens only
  // Positions of each sentence's tokens among them, ascending.
  std::vector<std::vector<std::int32_t>> columns_;
  std::vector<std::int32_t> sentence_;  // of each hypothesis in the last step
};

}  // namespace attend
