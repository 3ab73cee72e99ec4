#include "attend/decode/translation_scorer.h"

#include <algorithm>
#include <limits>

#include "attend/backend/backend.h"

namespace attend {

namespace {

// The k best that are not among `tokens`.
BestTokens without(std::span<const std::int32_t> tokens, const BestTokens& found, int k) {
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

}  // namespace

bool VocabularyScorer::adjust(std::int64_t, const Tensor& logits) {
  if (suppressed_.empty()) return false;
  std::vector<std::int32_t> columns;
  for (std::int64_t row = 0; row < logits.rows(); ++row)
    columns.insert(columns.end(), suppressed_.begin(), suppressed_.end());
  backend().fill_columns(logits, columns, -std::numeric_limits<float>::infinity());
  return true;
}

// Suppressed tokens are looked for, too, and then left out: masking them would change the
// probabilities of the others.
BestTokens VocabularyScorer::best(std::int64_t hypotheses, int k) {
  if (suppressed_.empty()) return most_likely(hypotheses, k);
  const int more = k + static_cast<int>(suppressed_.size());
  return without(suppressed_, most_likely(hypotheses, more), k);
}

}  // namespace attend
