// Scorers of sentences that are translated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/decode/scorer.h"

namespace attend {

// What the decoder reads before it writes a sentence: see DecodeRequest.
struct DecoderPrefix {
  std::vector<std::int32_t> tokens;
  std::int64_t forced = 0;
};

// Sentences that are encoded together, and the prefix of each.
struct EncoderDecoderInput {
  const Ragged& src;
  std::span<const DecoderPrefix> prefixes;
};

class TranslationScorer : public Scorer {
 public:
  // Encodes sentences. Throws like DecodingState::join().
  virtual void join(const EncoderDecoderInput& input) = 0;
};

// One whose columns are the tokens of the vocabulary. Suppressed tokens are never chosen; the
// probabilities of the others stay what the model says.
class VocabularyScorer : public TranslationScorer {
 public:
  bool adjust(std::int64_t begin, const Tensor& logits) final;
  BestTokens best(std::int64_t hypotheses, int k) final;
  std::int32_t token(std::int64_t, std::int64_t column) const final {
    return static_cast<std::int32_t>(column);
  }

 protected:
  explicit VocabularyScorer(std::span<const std::int32_t> suppressed)
      : suppressed_(suppressed.begin(), suppressed.end()) {}

  // The k most likely tokens, suppressed ones among them, on the host.
  virtual BestTokens most_likely(std::int64_t hypotheses, int k) = 0;

 private:
  std::vector<std::int32_t> suppressed_;
};

}  // namespace attend
