#include "attend/decode/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"

namespace attend {

Hypothesis DecodeRequest::output() const {
  Hypothesis output;
  output.ids.assign(prefix.end() - forced, prefix.end());
  output.token_scores.assign(static_cast<std::size_t>(forced), 0.0f);
  return output;
}

BestTokens::BestTokens(std::int64_t hypotheses, int k)
    : log_probabilities(Tensor::full({hypotheses, k}, -std::numeric_limits<float>::infinity())),
      columns(Tensor::zeros({hypotheses, k}, DType::i32)) {}

void Scorer::step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  advance(parents, Ragged::one_each(tokens));
}

bool Scorer::adjust(std::int64_t, const Tensor&) { return false; }

BestTokens Scorer::best_of_logits(std::int64_t hypotheses, int k, bool adjusted) {
  const BestTokens best(hypotheses, k);
  for_logits(*this, 0, hypotheses, [&](std::int64_t begin, const Tensor& logits) {
    if (adjusted) adjust(begin, logits);
    const std::int64_t end = begin + logits.rows(),
                       found = std::min<std::int64_t>(k, logits.cols());
    backend().log_softmax_top_k(
        logits, static_cast<int>(found),
        best.log_probabilities.slice_rows(begin, end).slice_columns(0, found),
        best.columns.slice_rows(begin, end).slice_columns(0, found));
  });
  return best.to_host();
}

std::vector<std::vector<float>> Scorer::log_probabilities(
    std::int64_t begin, std::span<const std::vector<std::int32_t>> tokens) {
  std::size_t most = 0;
  for (const std::vector<std::int32_t>& of_row : tokens) most = std::max(most, of_row.size());
  std::vector<std::vector<float>> values;
  for_logits(*this, begin, begin + std::ssize(tokens), [&](std::int64_t at, const Tensor& logits) {
    const auto rows = tokens.subspan(static_cast<std::size_t>(at - begin),
                                     static_cast<std::size_t>(logits.rows()));
    std::vector<std::int32_t> columns;  // -1: none
    for (const std::vector<std::int32_t>& of_row : rows) {
      columns.insert(columns.end(), of_row.begin(), of_row.end());
      columns.resize(columns.size() + most - of_row.size(), -1);
    }
    const Tensor all = Tensor::empty(logits.shape()),
                 found = Tensor::empty({logits.rows(), static_cast<std::int64_t>(most)});
    backend().log_softmax(logits, all);
    backend().gather_columns(all, columns, 0.0f, found);
    const Tensor host = found.to_host();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float* const row = host.row(static_cast<std::int64_t>(r));
      values.emplace_back(row, row + rows[r].size());
    }
  });
  return values;
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
