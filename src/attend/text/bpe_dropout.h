// BPE-dropout (Provilkov et al. 2020): the same words cut in other ways, so that a model sees more
// of what its pieces are made of.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "attend/core/random.h"
#include "attend/text/tokenizer.h"

namespace attend {

// Begins with the characters of a word and merges neighbors, the earliest learned merge first, as
// byte-pair encoding does (Sennrich et al. 2016); but before each merge every possible one is left
// out with the given probability, and a word is done when none is left. Immutable; may be used from
// several threads at once.
class BpeDropout {
 public:
  // `tokenizer` is one of TokenizerType::bpe. Throws ConfigError unless 0 <= probability < 1.
  BpeDropout(const Tokenizer& tokenizer, float probability);

  // The ids of the same text, cut anew. `ids` come from the tokenizer's encode(); with probability
  // 0 they come back. Time: n log n for a word of n characters.
  std::vector<std::int32_t> sample(std::span<const std::int32_t> ids, Random& random) const;

 private:
  struct Merge {
    std::int32_t id;
    float score;  // higher: learned earlier
  };
  const Merge* merge_of(std::int32_t left, std::int32_t right) const;
  void sample_word(std::vector<std::int32_t>& symbols, Random& random) const;

  float probability_;
  std::vector<std::vector<std::int32_t>>
      characters_;  // of each piece, as ids; of a piece with a character that is none: itself
  std::vector<bool> begins_word_;
  std::unordered_map<std::uint64_t, Merge> merges_;  // by (left id, right id)
};

}  // namespace attend
