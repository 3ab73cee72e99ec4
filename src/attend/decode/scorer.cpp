#include "attend/decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"

namespace attend {

Hypothesis Arrival::output() const {
  Hypothesis output;
  output.ids.assign(prefix.end() - forced, prefix.end());
  output.token_scores.assign(static_cast<std::size_t>(forced), 0.0f);
  return output;
}

BestTokens::BestTokens(std::int64_t hypotheses, int k)
    : log_probabilities(Tensor::full({hypotheses, k}, -std::numeric_limits<float>::infinity())),
      columns(Tensor::zeros({hypotheses, k}, DType::i32)) {}

void Scorer::step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  std::vector<std::int32_t> offsets(tokens.size() + 1);
  std::iota(offsets.begin(), offsets.end(), 0);
  advance(parents, Ragged::copy(tokens, offsets));
}

bool Scorer::adjust(std::int64_t, const Tensor&) { return false; }

BestTokens Scorer::best(std::int64_t hypotheses, int k) {
  const BestTokens best(hypotheses, k);
  for_logits(*this, 0, hypotheses, [&](std::int64_t begin, const Tensor& logits) {
    adjust(begin, logits);
    const std::int64_t end = begin + logits.rows(),
                       found = std::min<std::int64_t>(k, logits.cols());
    backend().log_softmax_top_k(
        logits, static_cast<int>(found),
        best.log_probabilities.slice_rows(begin, end).slice_columns(0, found),
        best.columns.slice_rows(begin, end).slice_columns(0, found));
  });
  return best.to_host();
}

BestTokens best_tokens(const Tensor& hidden, const OutputProjection& output, int k) {
  const BestTokens best(hidden.rows(), k);
  const std::int64_t found = std::min<std::int64_t>(k, output.weight.rows());
  backend().projected_top_k(hidden, output, static_cast<int>(found),
                            best.log_probabilities.slice_columns(0, found),
                            best.columns.slice_columns(0, found));
  return best.to_host();
}

void require_probabilities(float highest) {
  if (!std::isfinite(highest))
    throw NotFiniteError(
        "decoding: expected finite logits, got NaN or infinity: the model's weights are damaged, "
        "or its training diverged; use another checkpoint");
}

}  // namespace attend
