// Word alignments of sentence pairs, token by token: which target token translates which source
// token. Two lexicons, one for each direction, are learned from text; a link is what both agree on,
// and a target token beside a linked one joins its link, since words have several tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/data/alignment/lexicon.h"
#include "attend/data/corpus.h"

namespace attend {

class WordAligner {
 public:
  // Learns from pairs without special tokens, with ids below the sizes of the vocabularies.
  WordAligner(const EncodedPairs& pairs, int src_vocab_size, int tgt_vocab_size);

  // For each target token the place of its source token, or kNone. Tokens that the text of the
  // constructor did not have together, such as special ones, have none.
  std::vector<std::int32_t> links(std::span<const std::int32_t> src,
                                  std::span<const std::int32_t> tgt) const;

  static constexpr std::int32_t kNone = -1;

 private:
  using Lexicon = std::vector<std::vector<LexiconEntry>>;  // each by ascending target

  static Lexicon learn(const Ragged& src, const Ragged& tgt, int src_vocab_size);
  // The likeliest source of each target token, or kNone.
  static std::vector<std::int32_t> likeliest(const Lexicon& lexicon,
                                             std::span<const std::int32_t> src,
                                             std::span<const std::int32_t> tgt);

  Lexicon forward_, backward_;
};

}  // namespace attend
