// The scorer of several encoder-decoders that write the same tokens: the arithmetic mean of their
// probabilities at every step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "attend/decode/encoder_decoder_scorer.h"

namespace attend {

// log of the mean of exp(x) over natural log-probabilities; those that are equal keep their bits.
float log_mean_exp(std::span<const float> log_probabilities);

class EnsembleScorer final : public Scorer {
 public:
  // At least one model, which all must outlive the scorer. They have vocabularies of the same size.
  // suppressed: tokens that are never chosen; the probabilities of the others stay the mean.
  explicit EnsembleScorer(std::span<const EncoderDecoder* const> models,
                          std::span<const std::int32_t> suppressed = {});

  // Every model encodes the sentences. Outputs are as long as the model with the fewest positions
  // allows. Throws as EncoderDecoderScorer::join() does; the scorer can then not be used any more.
  void join(const EncoderDecoderInput& input);

  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  // log p, which sums to 1.
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  bool adjust(std::int64_t begin, const Tensor& logits) override;
  BestTokens best(std::int64_t hypotheses, int k) override;
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return static_cast<std::int32_t>(column);
  }

 private:
  std::vector<std::unique_ptr<EncoderDecoderScorer>> members_;
  std::vector<std::int32_t> suppressed_;
};

}  // namespace attend
