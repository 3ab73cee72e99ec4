// The scorer of an encoder-decoder with a vocabulary shortlist.
//
// The output layer is reduced to the tokens of all sentences in the batch. Each sentence is
// normalized over its own tokens, so its result does not depend on the others.
#pragma once

#include <memory>
#include <vector>

#include "attend/decode/scorers/encoder_decoder_scorer.h"
#include "attend/decode/scorers/shortlist.h"

namespace attend {

class ShortlistedScorer final : public TranslationScorer {
 public:
  // Without sentences. `model` must outlive the scorer.
  ShortlistedScorer(const EncoderDecoder& model, Shortlist shortlist);
  // With these sentences, which have the same prefix. Throws like join().
  ShortlistedScorer(const EncoderDecoder& model, const Ragged& src,
                    std::span<const std::int32_t> prefix, Shortlist shortlist);

  // Throws also DataError if the shortlist does not match the model's vocabularies. If this throws,
  // nothing has changed.
  void join(const EncoderDecoderInput& input) override;

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  std::int32_t token(std::int64_t hypothesis, std::int64_t column) const override;
  std::int32_t column(std::int64_t hypothesis, std::int32_t token) const override;

 private:
  // The tokens of a sentence, ascending, and their positions among those of all sentences.
  struct Allowed {
    std::vector<std::int32_t> tokens;
    std::vector<std::int32_t> columns;
  };
  using Sentences = std::vector<std::shared_ptr<Allowed>>;

  Sentences allowed(const Ragged& src) const;
  // Reduces the output layer to the tokens of these sentences.
  void select_output(const Sentences& sentences);
  // Fills the positions of a sentence's tokens among tokens_.
  void place(Allowed& sentence) const;

  const EncoderDecoder& model_;
  Shortlist shortlist_;
  EncoderDecoderScorer whole_;
  std::vector<std::int32_t> tokens_;  // of all sentences, ascending
  OutputProjection output_;           // for these tokens only
  Sentences sentence_;                // of each hypothesis
};

}  // namespace attend
