#include "attend/decode/scorers/scorer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/decode/scorers/padded_columns.h"

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

// Adjacent hypotheses that change, or that do not, together.
BestTokens Scorer::best(std::span<const LogitChange> changes, int k) {
  const auto changed = [&](std::size_t hypothesis) { return changes[hypothesis].changes(); };
  const auto hypotheses = std::ssize(changes);
  const BestTokens best(Tensor::empty_on_host({hypotheses, k}),
                        Tensor::empty_on_host({hypotheses, k}, DType::i32));
  for (std::size_t begin = 0, end = 0; begin < changes.size(); begin = end) {
    while (end < changes.size() && changed(end) == changed(begin)) ++end;
    const auto first = static_cast<std::int64_t>(begin), last = static_cast<std::int64_t>(end);
    const BestTokens part = changed(begin)
                                ? changed_best(first, changes.subspan(begin, end - begin), k)
                                : unchanged_best(first, last, k);
    std::copy_n(part.log_probabilities.row(0), (last - first) * k,
                best.log_probabilities.row(first));
    std::copy_n(part.columns.row<std::int32_t>(0), (last - first) * k,
                best.columns.row<std::int32_t>(first));
  }
  return best;
}

BestTokens Scorer::unchanged_best(std::int64_t begin, std::int64_t end, int k) {
  return changed_best(begin, std::vector<LogitChange>(static_cast<std::size_t>(end - begin)), k);
}

BestTokens Scorer::changed_best(std::int64_t begin, std::span<const LogitChange> changes, int k) {
  const BestTokens best(std::ssize(changes), k);
  for_logits(*this, begin, begin + std::ssize(changes), [&](std::int64_t at, const Tensor& logits) {
    const std::int64_t first = at - begin, end = first + logits.rows(),
                       found = std::min<std::int64_t>(k, logits.cols());
    change_logits(
        changes.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(logits.rows())),
        at, *this, logits);
    backend()->log_softmax_top_k(
        logits, static_cast<int>(found),
        best.log_probabilities.slice_rows(first, end).slice_columns(0, found),
        best.columns.slice_rows(first, end).slice_columns(0, found));
  });
  return best.to_host();
}

std::vector<std::vector<float>> Scorer::log_probabilities(
    std::int64_t begin, std::span<const std::vector<std::int32_t>> tokens) {
  const std::size_t most = widest(tokens);
  std::vector<std::vector<float>> values;
  for_logits(*this, begin, begin + std::ssize(tokens), [&](std::int64_t at, const Tensor& logits) {
    const auto rows = tokens.subspan(static_cast<std::size_t>(at - begin),
                                     static_cast<std::size_t>(logits.rows()));
    const Tensor all = Tensor::empty(logits.shape()),
                 found = Tensor::empty({logits.rows(), static_cast<std::int64_t>(most)});
    backend()->log_softmax(logits, all);
    backend()->gather_columns(all, padded_columns(rows, most), 0.0f, found);
    const Tensor host = found.to_host();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const float* const row = host.row(static_cast<std::int64_t>(r));
      values.emplace_back(row, row + rows[r].size());
    }
  });
  return values;
}

std::int64_t tokens_in_context(std::int64_t tokens, std::int64_t context) {
  if (tokens <= context) return tokens;
  const std::int64_t kept = context / 2;
  return kept + 1 + (tokens - context - 1) % (context - kept);
}

BestTokens best_tokens(const Tensor& hidden, const OutputProjection& output, int k) {
  const BestTokens best(hidden.rows(), k);
  const std::int64_t found = std::min<std::int64_t>(k, output.weight.rows());
  backend()->projected_top_k(hidden, output, static_cast<int>(found),
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
