#include "attend/decode/scorers/encoder_decoder_scorer.h"

#include <algorithm>

#include "attend/autograd/variable.h"

namespace attend {

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model)
    : model_(model), state_(model.decoding()) {}

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                                           std::span<const std::int32_t> prefix)
    : EncoderDecoderScorer(model) {
  const std::vector<DecoderPrefix> prefixes(static_cast<std::size_t>(src.sequences()),
                                            {{prefix.begin(), prefix.end()}});
  join({src, prefixes});
}

void EncoderDecoderScorer::join(const EncoderDecoderInput& input) {
  state_->join(input.src);
  for (std::int64_t s = 0; s < input.src.sequences(); ++s) {
    const DecoderPrefix& prefix = input.prefixes[static_cast<std::size_t>(s)];
    arrive({prefix.tokens, max_length(input.src.length(s), prefix), prefix.forced});
  }
}

std::int64_t EncoderDecoderScorer::max_length(std::int64_t source_tokens,
                                              const DecoderPrefix& prefix) const {
  const std::int64_t sensible = 2 * source_tokens + 50 + prefix.forced,
                     unwritten = std::ssize(prefix.tokens) - prefix.forced,
                     positions = model_.longest_sequence();
  return positions > 0 ? std::min(sensible, positions - (unwritten - 1)) : sensible;
}

void EncoderDecoderScorer::advance(std::span<const std::int32_t> parents, const Ragged& tokens) {
  hidden_ = state_->advance(parents, tokens);
}

Tensor EncoderDecoderScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  return model_.project(Variable(hidden_.slice_rows(begin, end))).value();
}

BestTokens EncoderDecoderScorer::unchanged_best(std::int64_t begin, std::int64_t end, int k) {
  if (model_.config().logit_cap > 0.0f) return Scorer::unchanged_best(begin, end, k);
  return best_tokens(hidden_.slice_rows(begin, end), model_.output(), k);
}

}  // namespace attend
