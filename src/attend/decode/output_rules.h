// What an output may contain, beside what the model finds likely: for beam search and for samples.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/decode/logit_change.h"
#include "attend/decode/phrase_rules.h"
#include "attend/search.h"

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

// Sorted, each once.
std::vector<std::int32_t> distinct(std::vector<std::int32_t> tokens);

// Makes tokens that are there already less likely (Keskar et al. 2019): divides their logits by the
// factor, and multiplies negative ones.
struct RepetitionPenalty {
  float factor = 1.0f;  // 1: off
  // 0: of the tokens of the output. Otherwise of those that a model with this context sees of the
  // prompt and the output
  std::int64_t context = 0;
  std::int32_t exempt = -1;  // a token that is never penalized; -1: none

  // The distinct tokens that it makes less likely.
  std::vector<std::int32_t> tokens(std::span<const std::int32_t> prompt,
                                   std::span<const std::int32_t> output) const;
};

// A new rule is a line in change(): both searches and samples then follow it.
struct OutputRules {
  int min_length = 0;       // tokens before an output may end
  int no_repeat_ngram = 0;  // never so many tokens in a row twice, the prompt included; 0: they may
  RepetitionPenalty repetition = {};
  std::shared_ptr<const PhraseRules> phrases = nullptr;  // null: it may contain anything
  std::vector<std::int32_t> suppressed = {};             // tokens that are never written
  // Whether a search, too, gives the probability of suppressed tokens to the others, as samples do;
  // it always does if there is a penalty
  bool renormalized = false;
  PrefixBias beginning = {};  // of a search

  // These, with the length, n-grams and penalty of `options`.
  OutputRules with(const BeamSearchOptions& options) const;
  // What they change before the next token of an output. progress: in the phrases, if there are
  // any. Neither suppressed tokens nor ends are banned: searches and samples differ in these.
  LogitChange change(std::span<const std::int32_t> prompt, std::span<const std::int32_t> output,
                     const PhraseRules::Progress& progress) const;
};

}  // namespace attend
