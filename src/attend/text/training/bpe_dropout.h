// BPE-dropout (Provilkov et al. 2020): random segmentations of words, so that a model sees the
// parts of its subwords, too.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/text/tokenizer.h"

namespace attend {

// Starts with the characters of a word and merges neighbors in the order of byte-pair encoding
// (Sennrich et al. 2016). Before each merge every possible one is dropped with the given
// probability; the word is done when none is left. Immutable; may be used from several threads at
// once.
class BpeDropout {
 public:
  // `tokenizer` must be of TokenizerType::bpe. Throws ConfigError unless 0 <= probability < 1.
  BpeDropout(const Tokenizer& tokenizer, float probability);

  // A new segmentation of the text with these ids, which come from the tokenizer's encode(). With
  // probability 0 it returns the ids. Time: n log n for a word of n characters.
  std::vector<std::int32_t> sample(std::span<const std::int32_t> ids, Random& random) const;

 private:
  struct Merge {
    std::int32_t id;
    float score;  // higher: learned earlier
  };
  void read_sentencepiece(const Tokenizer& tokenizer);
  void read_imported(const Tokenizer& tokenizer);
  void read_characters(const Tokenizer& tokenizer, const std::vector<bool>& special);
  const Merge* merge_of(std::int32_t left, std::int32_t right) const;
  void sample_word(std::vector<std::int32_t>& symbols, Random& random) const;

  float probability_;
  // The characters of each token, as ids; the token itself if a character has no id.
  std::vector<std::vector<std::int32_t>> characters_;
  std::vector<bool> begins_word_;
  std::unordered_map<std::uint64_t, Merge> merges_;  // by (left id, right id)
};

}  // namespace attend
