#include "attend/decode/encoder_decoder_scorer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "attend/autograd/variable.h"
#include "attend/backend/backend.h"

namespace attend {

EncoderDecoderScorer::EncoderDecoderScorer(const EncoderDecoder& model, const Ragged& src,
                                           std::span<const std::int32_t> begin,
                                           std::span<const std::int32_t> suppressed)
    : model_(model),
      src_offsets_(src.offsets),
      begin_(begin.begin(), begin.end()),
      suppressed_(suppressed.begin(), suppressed.end()),
      state_(model.begin(src)) {
  std::vector<std::int32_t> rows(static_cast<std::size_t>(sentences()));
  std::iota(rows.begin(), rows.end(), 0);
  for (const std::int32_t token : begin.first(begin.size() - 1))
    state_->step(rows, std::vector<std::int32_t>(rows.size(), token));
}

std::int64_t EncoderDecoderScorer::sentences() const {
  return static_cast<std::int64_t>(src_offsets_->size()) - 1;
}

std::int64_t EncoderDecoderScorer::max_length(std::int64_t sentence) const {
  const auto s = static_cast<std::size_t>(sentence);
  const std::int64_t sensible = 2 * std::int64_t{(*src_offsets_)[s + 1] - (*src_offsets_)[s]} + 50;
  const std::int64_t positions = model_.longest_sequence();
  return positions > 0 ? std::min(sensible, positions - (std::ssize(begin_) - 1)) : sensible;
}

void EncoderDecoderScorer::step(std::span<const std::int32_t> parents,
                                std::span<const std::int32_t> tokens) {
  hidden_ = state_->step(parents, tokens);
}

Tensor EncoderDecoderScorer::logits(std::int64_t begin, std::int64_t end) {
  const NoGradient guard;
  return model_.project(Variable(hidden_.slice_rows(begin, end))).value();
}

bool EncoderDecoderScorer::adjust(std::int64_t, const Tensor& logits) {
  if (suppressed_.empty()) return false;
  std::vector<std::int32_t> columns;
  for (std::int64_t row = 0; row < logits.rows(); ++row)
    columns.insert(columns.end(), suppressed_.begin(), suppressed_.end());
  backend().fill_columns(logits, columns, -std::numeric_limits<float>::infinity());
  return true;
}

// Without the suppressed tokens: they are looked for, too, and then left out. The probabilities of
// the others stay what the model says.
BestTokens EncoderDecoderScorer::best(std::int64_t hypotheses, int k) {
  if (suppressed_.empty()) return best_tokens(hidden_, model_.output(), k);
  const BestTokens found =
      best_tokens(hidden_, model_.output(), k + static_cast<int>(suppressed_.size())).to_host();
  const BestTokens rest(Tensor::empty_on_host({hypotheses, k}),
                        Tensor::empty_on_host({hypotheses, k}, DType::i32));
  for (std::int64_t r = 0; r < hypotheses; ++r) {
    std::int64_t kept = 0;
    for (std::int64_t i = 0; i < found.columns.cols() && kept < k; ++i) {
      const std::int32_t token = found.columns.row<std::int32_t>(r)[i];
      if (std::find(suppressed_.begin(), suppressed_.end(), token) != suppressed_.end()) continue;
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
