// The interface between decoding and models: scores of the next token, for a changing set of
// hypotheses. Fits any left-to-right model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "attend/backend/backend.h"
#include "attend/tensor/tensor.h"

namespace attend {

// The most likely next tokens of R hypotheses.
struct BestTokens {
  BestTokens(std::int64_t hypotheses, int k);  // filled later
  BestTokens(Tensor values, Tensor indices)
      : log_probabilities(std::move(values)), columns(std::move(indices)) {}

  // A copy to read on the host.
  BestTokens to_host() const { return {log_probabilities.to_host(), columns.to_host()}; }

  Tensor log_probabilities;  // [R, k], largest first; -infinity if fewer tokens are possible
  Tensor columns;            // [R, k] i32
};

class Scorer {
 public:
  virtual ~Scorer() = default;

  // The number of sentences; step() begins with one hypothesis for each.
  virtual std::int64_t sentences() const = 0;
  // The first input token of a sentence: bos, or the last token of a prompt.
  virtual std::int32_t first_token(std::int64_t sentence) const = 0;
  // The longest sensible output for a sentence, in tokens.
  virtual std::int64_t max_length(std::int64_t sentence) const = 0;

  // Hypothesis r continues the former hypothesis parents[r] with token tokens[r].
  virtual void step(std::span<const std::int32_t> parents,
                    std::span<const std::int32_t> tokens) = 0;
  // The logits [end - begin, K] of the next token for hypotheses [begin, end) of the last step;
  // -infinity for impossible tokens.
  virtual Tensor logits(std::int64_t begin, std::int64_t end) = 0;
  // Adjusts logits of the hypotheses starting at `begin`: masks or penalizes tokens. Returns
  // whether anything changed.
  virtual bool adjust(std::int64_t begin, const Tensor& logits);
  // The k most likely tokens for all `hypotheses` of the last step, after adjustment.
  virtual BestTokens best(std::int64_t hypotheses, int k);
  // The token of a column for a hypothesis of the last step; tokens increase with columns.
  virtual std::int32_t token(std::int64_t hypothesis, std::int64_t column) const = 0;
};

// Calls use(begin, logits) for the `hypotheses` of the last step, in blocks small enough that their
// logits stay in cache.
template <class Use>
void for_logits(Scorer& scorer, std::int64_t hypotheses, const Use& use) {
  const std::int64_t block = backend().block_sizes().decoding_rows;
  for (std::int64_t begin = 0; begin < hypotheses; begin += block)
    use(begin, scorer.logits(begin, std::min(begin + block, hypotheses)));
}

// The k most likely tokens for hidden states [R, D], without storing all logits.
BestTokens best_tokens(const Tensor& hidden, const OutputProjection& output, int k);

// Throws NotFiniteError unless a hypothesis's highest log-probability is finite. It is not if a
// logit is NaN or +infinity, or if all are -infinity. Single logits of -infinity are masked tokens.
void require_probabilities(float highest);

}  // namespace attend
