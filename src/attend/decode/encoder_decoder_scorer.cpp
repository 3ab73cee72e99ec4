#include "attend/decode/encoder_decoder_scorer.h"

#include <algorithm>
#include <limits>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model,
                                           std::span<const std::int32_t> suppressed)
    : model_(model), suppressed_(suppressed.begin(), suppressed.end()), state_(model.decoding()) {}

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                                           std::span<const std::int32_t> prefix,
                                           std::span<const std::int32_t> suppressed)
    : EncoderDecoderScorer(model, suppressed) {
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
  hidden_ = state_->step(parents, *tokens.ids);
}

Tensor EncoderDecoderScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  return model_.project(Variable(hidden_.slice_rows(begin, end))).value();
}

bool EncoderDecoderScorer::adjust(std::int64_t, const Tensor& logits) {
  return suppress(suppressed_, logits);
}

// Without the suppressed tokens: they are looked for, too, and then left out. The probabilities of
// the others stay what the model says.
BestTokens EncoderDecoderScorer::best(std::int64_t hypotheses, int k) {
  const Tensor hidden = hidden_.slice_rows(0, hypotheses);
  if (suppressed_.empty()) return best_tokens(hidden, model_.output(), k);
  return without_suppressed(
      best_tokens(hidden, model_.output(), k + static_cast<int>(suppressed_.size())), suppressed_,
      k);
}

bool suppress(std::span<const std::int32_t> tokens, const Tensor& logits) {
  if (tokens.empty()) return false;
  std::vector<std::int32_t> columns;
  for (std::int64_t row = 0; row < logits.rows(); ++row)
    columns.insert(columns.end(), tokens.begin(), tokens.end());
  backend().fill_columns(logits, columns, -std::numeric_limits<float>::infinity());
  return true;
}

BestTokens without_suppressed(const BestTokens& all, std::span<const std::int32_t> tokens, int k) {
  const BestTokens found = all.to_host();
  const std::int64_t hypotheses = found.columns.rows();
  const BestTokens rest(Tensor::empty_on_host({hypotheses, k}),
                        Tensor::empty_on_host({hypotheses, k}, DType::i32));
  for (std::int64_t r = 0; r < hypotheses; ++r) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < found.columns.cols() && kept < k; ++i) {
      const std::int32_t token = found.columns.row<std::int32_t>(r)[i];
      if (std::find(tokens.begin(), tokens.end(), token) != tokens.end()) continue;
      rest.log_probabilities.row(r)[kept] = found.log_probabilities.row(r)[i];
      rest.columns.row<std::int32_t>(r)[kept++] = token;
    }
    for (; kept < k; ++kept) {  // of a vocabulary with fewer tokens
      rest.log_probabilities.row(r)[kept] = -std::numeric_limits<float>::infinity();
      rest.columns.row<std::int32_t>(r)[kept] = 0;
    }
  }
  return rest;
}

}  // namespace attend
