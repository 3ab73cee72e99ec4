// Which tokens translate which: p(target | source), learned from sentence pairs by IBM Model 1
// (Brown et al. 1993, "The Mathematics of Statistical Machine Translation"): every target token
// comes from one source token of its sentence, whichever, and expectation maximization finds from
// which. What comes from no word in particular ends up with the end of the source.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

struct LexiconEntry {
  std::int32_t target;
  float probability;
};

// For every id of the source vocabulary its translations, likeliest first; of equally likely ones
// the lower id. Sources are as a model reads them, with their end. Precondition: as many targets as
// sources, and source ids in 0 .. src_vocab_size - 1.
std::vector<std::vector<LexiconEntry>> learn_lexicon(const Ragged& src, const Ragged& tgt,
                                                     int src_vocab_size, int iterations = 5);

}  // namespace attend
