// What decoding needs of a model: how likely each token is to come next, for a changing set of
// hypotheses. Any architecture that predicts left to right fits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "attend/backend/backend.h"
#include "attend/tensor/tensor.h"

namespace attend {

// The likeliest tokens to come next, for each of R hypotheses.
struct BestTokens {
  BestTokens(std::int64_t hypotheses, int k);  // none yet
  BestTokens(Tensor values, Tensor indices)
      : log_probabilities(std::move(values)), columns(std::move(indices)) {}

  // To be read.
  BestTokens to_host() const { return {log_probabilities.to_host(), columns.to_host()}; }

  Tensor log_probabilities;  // [R, k], largest first; -infinity where fewer tokens may follow
  Tensor columns;            // [R, k] i32
};

class Scorer {
 public:
  virtual ~Scorer() = default;

  // The sentences being decoded; step() begins with one hypothesis for each.
  virtual std::int64_t sentences() const = 0;
  // What the first step of a sentence continues with: bos, or the last token of a prompt.
  virtual std::int32_t first_token(std::int64_t sentence) const = 0;
  // The longest output, in tokens, that makes sense for a sentence.
  virtual std::int64_t max_length(std::int64_t sentence) const = 0;

  // Hypothesis r continues what was hypothesis parents[r] with the token tokens[r].
  virtual void step(std::span<const std::int32_t> parents,
                    std::span<const std::int32_t> tokens) = 0;
  // For the hypotheses [begin, end) of the last step: scores [end - begin, K] of the tokens that
  // may come after them, -infinity where there is none. Their softmax is how likely each token is.
  virtual Tensor logits(std::int64_t begin, std::int64_t end) = 0;
  // Turns logits of the hypotheses from `begin` on into what the next token is chosen by: forbids
  // tokens, penalizes others. Whether it has changed anything.
  virtual bool adjust(std::int64_t begin, const Tensor& logits);
  // For all hypotheses of the last step, `hypotheses` in number, the k likeliest tokens, adjusted.
  virtual BestTokens best(std::int64_t hypotheses, int k);
  // The token of a column for a hypothesis of the last step; tokens rise with their columns.
  virtual std::int32_t token(std::int64_t hypothesis, std::int64_t column) const = 0;
};

// Calls use(begin, logits) for the `hypotheses` of the last step, a block at a time.
template <class Use>
void for_logits(Scorer& scorer, std::int64_t hypotheses, const Use& use) {
  const std::int64_t block = backend().block_sizes().decoding_rows;
  for (std::int64_t begin = 0; begin < hypotheses; begin += block)
    use(begin, scorer.logits(begin, std::min(begin + block, hypotheses)));
}

// The k likeliest tokens by hidden states [R, D] and output weights [V, D], whose logits are never
// held whole.
BestTokens best_tokens(const Tensor& hidden, const Tensor& output_weights, int k);

// Throws NotFiniteError unless the highest log-probability of a hypothesis is finite. It is not
// when a logit is NaN or +infinity, or when all are -infinity; single logits of -infinity are
// tokens that cannot follow.
void require_probabilities(float highest);

}  // namespace attend
