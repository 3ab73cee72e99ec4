// The scorer of a language model, for continuations of prompts. When the context of a hypothesis is
// full, it continues with the newer half.
#pragma once

#include <memory>
#include <vector>

#include "attend/decode/scorers/continuous_cache.h"
#include "attend/decode/scorers/scorer.h"
#include "attend/models/language_transformer.h"

namespace attend {

// Options of one text.
struct LanguageScorerOptions {
  std::int64_t context = 1;  // context in tokens
  std::int64_t max_length = 1;
  ContinuousCacheOptions cache = {};
};

class LanguageScorer final : public Scorer {
 public:
  // Without texts. `model` must outlive the scorer.
  explicit LanguageScorer(const LanguageTransformer& model);
  // With one text.
  LanguageScorer(const LanguageTransformer& model, std::span<const std::int32_t> prompt,
                 const LanguageScorerOptions& options);

  // A text that continues a prompt of 1 to options.context tokens. Throws ConfigError.
  void join(std::span<const std::int32_t> prompt, const LanguageScorerOptions& options);

  // Large enough for fast products, and small enough for the keys that each token sees.
  std::int64_t max_prefill_tokens() const override { return 64; }
  void advance(std::span<const std::int32_t> parents, const Ragged& tokens) override;
  // With a cache: log-probabilities.
  Tensor logits(std::int64_t begin, std::int64_t end) override;

 private:
  struct HypothesisState {
    std::shared_ptr<const LanguageScorerOptions> options;
    bool begun = false;                      // whether it has read a token
    std::vector<std::int32_t> context = {};  // the tokens in context
    std::unique_ptr<ContinuousCache> cache = nullptr;
  };
  static HypothesisState continued(const HypothesisState& branch);
  std::vector<HypothesisState> continued(std::span<const std::int32_t> parents);
  // Restarts every branch whose context is full with the newer half of it.
  void shift_context();
  // Adds tokens to the contexts and to the caches; hidden [N, D]: theirs, hidden_ [R, D]: those of
  // the tokens before.
  void remember(const Ragged& tokens, std::span<const std::int32_t> parents, const Tensor& hidden);

  const LanguageTransformer& model_;
  std::unique_ptr<StackDecoding> state_;
  std::vector<HypothesisState> branches_;  // of each hypothesis
  Tensor hidden_;                          // [R, D], of the last token of each, after the last step
};

}  // namespace attend
