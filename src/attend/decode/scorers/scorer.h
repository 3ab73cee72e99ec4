// The interface between decoding and models: scores of the next token, for a changing set of
// hypotheses. Fits any left-to-right model.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/decode/hypothesis.h"
#include "attend/decode/logit_change.h"
#include "attend/nn/ragged.h"
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

// An unfinished hypothesis of a sentence.
struct NextToken {
  std::int32_t parent = 0;  // among the sentence's hypotheses of the last step
  std::int32_t token = 0;   // that it reads
};

// A sentence that has joined a scorer.
struct DecodeRequest {
  std::vector<std::int32_t> prefix;  // what its hypothesis reads before it writes: bos, or a
                                     // prompt; at least one token
  std::int64_t max_length = 1;       // the longest sensible output, in tokens
  // How many of the last tokens of the prefix the output begins with; fewer than all
  std::int64_t forced = 0;

  // The output before its first step: the forced tokens, whose log-probabilities are 0.
  Hypothesis output() const;
};

class Scorer {
 public:
  virtual ~Scorer() = default;

  // The sentences that have joined since the last call, in order. Each is a hypothesis that has
  // read nothing, after those of the last step.
  const std::vector<DecodeRequest>& arrivals() const { return arrivals_; }
  std::vector<DecodeRequest> take_arrivals() { return std::exchange(arrivals_, {}); }
  // The most tokens of a prefix that a hypothesis may read in a step.
  virtual std::int64_t max_prefill_tokens() const { return 1; }

  // Hypothesis r continues the former hypothesis parents[r] with all tokens of sequence r, at least
  // one. The number of hypotheses may change.
  virtual void advance(std::span<const std::int32_t> parents, const Ragged& tokens) = 0;
  // The same with one token each.
  void step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens);
  // The logits [end - begin, K] of the next token for hypotheses [begin, end) of the last step;
  // -infinity for impossible tokens.
  virtual Tensor logits(std::int64_t begin, std::int64_t end) = 0;
  // The k most likely tokens for the first hypotheses of the last step, of which each has a change,
  // on the host.
  BestTokens best(std::span<const LogitChange> changes, int k);
  // log p of next tokens that are columns, without changes: values[i] are those of tokens[i] for
  // hypothesis begin + i of the last step.
  std::vector<std::vector<float>> log_probabilities(
      std::int64_t begin, std::span<const std::vector<std::int32_t>> tokens);
  // The token of a column for a hypothesis of the last step; tokens increase with columns.
  virtual std::int32_t token(std::int64_t, std::int64_t column) const {
    return static_cast<std::int32_t>(column);
  }
  // The column of a token of the vocabulary; -1 if the hypothesis has none.
  virtual std::int32_t column(std::int64_t, std::int32_t token) const { return token; }

 protected:
  void arrive(DecodeRequest arrival) { arrivals_.push_back(std::move(arrival)); }
  // The k most likely tokens for hypotheses [begin, end) of the last step, on the host. A scorer
  // that can find them faster than by their logits overrides this.
  virtual BestTokens unchanged_best(std::int64_t begin, std::int64_t end, int k);

 private:
  // The same from hypothesis `begin`, by logits that are changed.
  BestTokens changed_best(std::int64_t begin, std::span<const LogitChange> changes, int k);

  std::vector<DecodeRequest> arrivals_;
};

// How many of the last `tokens` tokens a model sees that keeps at most `context` of them: when its
// context is full, it goes on with the newer half.
std::int64_t tokens_in_context(std::int64_t tokens, std::int64_t context);

// Calls use(begin, logits) for hypotheses [begin, end) of the last step, in blocks small enough
// that their logits stay in cache.
template <class Use>
void for_logits(Scorer& scorer, std::int64_t begin, std::int64_t end, const Use& use) {
  const std::int64_t block = backend()->block_sizes().decoding_rows;
  for (; begin < end; begin += block)
    use(begin, scorer.logits(begin, std::min(begin + block, end)));
}

// The k most likely tokens for hidden states [R, D], without storing all logits.
BestTokens best_tokens(const Tensor& hidden, const OutputProjection& output, int k);

// Throws NotFiniteError unless a hypothesis's highest log-probability is finite. It is not if a
// logit is NaN or +infinity, or if all are -infinity. Single logits of -infinity are masked tokens.
void require_probabilities(float highest);

}  // namespace attend
