// Scorers of sentences that are translated.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/decode/scorers/scorer.h"

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

}  // namespace attend
