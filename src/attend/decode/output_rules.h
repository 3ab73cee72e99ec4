// What an output may contain, beside what the model finds likely: for beam search and for samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/decode/phrase_rules.h"
#include "attend/decode/scorer.h"

namespace attend {

// The tokens that end an output: one, any of several, or none if only the greatest length does.
class EndTokens {
 public:
  // -1: none.
  EndTokens(std::int32_t eos) {  // NOLINT: an end token is a set of one
    if (eos >= 0) tokens_.push_back(eos);
  }
  explicit EndTokens(std::vector<std::int32_t> tokens) : tokens_(std::move(tokens)) {}

  bool contain(std::int32_t token) const {
    return std::find(tokens_.begin(), tokens_.end(), token) != tokens_.end();
  }
  const std::vector<std::int32_t>& tokens() const { return tokens_; }

 private:
  std::vector<std::int32_t> tokens_;
};

struct OutputRules {
  int min_length = 0;  // tokens before an output may end
  int no_repeat_ngram =
      0;  // never so many tokens in a row twice, what it read included; 0: they may
  // Divides the logits of tokens that the output has, and multiplies negative ones; 1: off
  float repetition_penalty = 1.0f;
  std::shared_ptr<const PhraseRules> phrases = nullptr;  // null: it may contain anything
};

// A beginning that a search is drawn to, without being forced. While a hypothesis has begun with
// its tokens, the probability p of the next of them counts as weight + (1 - weight) p, and that of
// every other token as (1 - weight) p.
struct PrefixBias {
  std::vector<std::int32_t> tokens = {};
  float weight = 0;

  // The one that a hypothesis should go on with; -1: none, it has left the beginning or has it all.
  std::int32_t next(std::span<const std::int32_t> written) const;
  // The log-probability of a token with the bias, if there is a next one.
  float biased_log_probability(float log_probability, bool is_next) const;
};

// What a search heeds beside its options. Null phrases: any output will do.
struct SearchRules {
  SearchRules(std::shared_ptr<const PhraseRules> p = nullptr, PrefixBias b = {})  // NOLINT
      : phrases(std::move(p)), beginning(std::move(b)) {}

  std::shared_ptr<const PhraseRules> phrases;
  PrefixBias beginning;
};

// The tokens that would end a sequence of `n` tokens that `written` already has; n = 0: none.
std::vector<std::int32_t> repeating_tokens(std::span<const std::int32_t> written, int n);

// Sorted, each once.
std::vector<std::int32_t> distinct(std::vector<std::int32_t> tokens);

// How the logits of a hypothesis are changed before its next token is chosen.
struct LogitChange {
  std::vector<std::int32_t> banned = {};     // tokens that cannot come next
  std::vector<std::int32_t> penalized = {};  // distinct tokens, whose logits the penalty divides
  float penalty = 1.0f;                      // or multiplies where they are negative

  bool changes() const { return !banned.empty() || (penalty != 1.0f && !penalized.empty()); }
};

// Changes the logits of the hypotheses of the last step from `begin`. Returns whether any changed.
bool change_logits(std::span<const LogitChange> changes, std::int64_t begin, const Scorer& scorer,
                   const Tensor& logits);

}  // namespace attend
