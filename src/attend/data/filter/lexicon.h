// Translation probabilities of tokens: p(target | source), learned from sentence pairs by IBM Model
// 1 (Brown et al. 1993, "The Mathematics of Statistical Machine Translation"). Every target token
// comes from one source token of its sentence, and expectation maximization finds which. Tokens
// without a counterpart end up with the end of the source.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

struct LexiconEntry {
  std::int32_t target;
  float probability;
};

// For every source id its translations, most likely first; ties by lower id. Sources include their
// end token. Precondition: as many targets as sources, and source ids in 0 .. src_vocab_size - 1.
std::vector<std::vector<LexiconEntry>> learn_lexicon(const Ragged& src, const Ragged& tgt,
                                                     int src_vocab_size, int iterations = 5);

}  // namespace attend
