#include "attend/decode/encoder_decoder_scorer.h"

#include <algorithm>

#include "attend/autograd/variable.h"

namespace attend {

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                                           std::int32_t bos)
    : model_(model), src_offsets_(src.offsets), bos_(bos), state_(model.begin(src)) {}

std::int64_t EncoderDecoderScorer::sentences() const {
  return static_cast<std::int64_t>(src_offsets_->size()) - 1;
}

std::int64_t EncoderDecoderScorer::max_length(std::int64_t sentence) const {
  const auto s = static_cast<std::size_t>(sentence);
  const std::int64_t sensible = 2 * std::int64_t{(*src_offsets_)[s + 1] - (*src_offsets_)[s]} + 50;
  const std::int64_t limit = model_.longest_sequence();
  return limit > 0 ? std::min(sensible, limit) : sensible;
}

void EncoderDecoderScorer::step(std::span<const std::int32_t> parents,
                                std::span<const std::int32_t> tokens) {
  hidden_ = state_->step(parents, tokens);
}

Tensor EncoderDecoderScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  return model_.project(Variable(hidden_.slice_rows(begin, end))).value();
}

BestTokens EncoderDecoderScorer::best(std::int64_t, int k) {
  return best_tokens(hidden_, model_.output(), k);
}

}  // namespace attend
