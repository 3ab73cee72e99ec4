// The scorer of a language model, for continuations of a prompt. When the context is full, it
// continues with the newer half.
#pragma once

#include <memory>
#include <vector>

#include "attend/decode/continuous_cache.h"
#include "attend/decode/scorer.h"
#include "attend/models/language_transformer.h"

namespace attend {

struct LanguageScorerOptions {
  std::int64_t context = 1;  // context in tokens
  std::int64_t max_length = 1;
  ContinuousCacheOptions cache = {};
  std::vector<std::int32_t> forbidden = {};  // tokens that may never come next
  // Divides the logits (with a cache: log-probabilities) of tokens in the context; negative ones
  // are multiplied (Keskar et al. 2019).
  float repetition_penalty = 1.0f;
  std::int32_t never_penalized = -1;  // exempt from the penalty
};

class LanguageScorer final : public Scorer {
 public:
  // One sentence that continues the prompt of 1 to options.context tokens. `model` must outlive the
  // scorer.
  LanguageScorer(const LanguageTransformer& model, std::span<const std::int32_t> prompt,
                 const LanguageScorerOptions& options);

  std::int64_t sentences() const override { return 1; }
  std::int32_t first_token(std::int64_t) const override { return first_token_; }
  std::int64_t max_length(std::int64_t) const override { return options_.max_length; }
  void step(std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) override;
  Tensor logits(std::int64_t begin, std::int64_t end) override;
  bool adjust(std::int64_t begin, const Tensor& logits) override;
  std::int32_t token(std::int64_t, std::int64_t column) const override {
    return static_cast<std::int32_t>(column);
  }

 private:
  struct Branch {
    std::vector<std::int32_t> context;  // the tokens in context
    std::unique_ptr<ContinuousCache> cache;
  };
  Branch continued(const Branch& branch) const;
  // Reads tokens [begin, begin + count) of the context of every branch -> [R * count, D].
  Tensor read_contexts(std::size_t begin, std::size_t count);
  // Restarts every branch with the newer half of its context.
  void forget_older_half();

  const LanguageTransformer& model_;
  LanguageScorerOptions options_;
  std::int32_t first_token_;
  std::unique_ptr<StackDecoding> state_;
  std::vector<Branch> branches_;  // of each hypothesis after the last step
  Tensor hidden_;                 // [R, D], after the last step
};

}  // namespace attend
