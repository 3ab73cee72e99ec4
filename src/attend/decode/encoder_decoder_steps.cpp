#include "attend/decode/encoder_decoder_steps.h"

#include <algorithm>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

EncoderDecoderSteps::EncoderDecoderSteps(const EncoderDecoder& model, const Ragged& src)
    : model_(model), src_offsets_(src.offsets), state_(model.begin(src)) {}

std::int64_t EncoderDecoderSteps::sentences() const { return static_cast<std::int64_t>(src_offsets_->size()) - 1; }

std::int64_t EncoderDecoderSteps::longest(std::int64_t sentence) const {
  const auto s = static_cast<std::size_t>(sentence);
  const std::int64_t sensible = 2 * std::int64_t{(*src_offsets_)[s + 1] - (*src_offsets_)[s]} + 50;
  const std::int64_t limit = model_.longest_sequence();
  return limit > 0 ? std::min(sensible, limit) : sensible;
}

void EncoderDecoderSteps::step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  hidden_ = state_->step(parents, tokens);
}

Tensor EncoderDecoderSteps::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  return model_.project(Variable(hidden_.slice_rows(begin, end))).value();
}

BestTokens EncoderDecoderSteps::best(std::int64_t hypotheses, int k) {
  const BestTokens best(hypotheses, k);
  const std::int64_t found = std::min<std::int64_t>(k, model_.output_weights().rows());
  backend().projected_top_k(hidden_, model_.output_weights(), static_cast<int>(found), best.log_probabilities.slice_columns(0, found),
                            best.columns.slice_columns(0, found));
  return best;
}

}  // namespace attend
