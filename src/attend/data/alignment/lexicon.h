// Translation probabilities of tokens: p(target | source), learned from sentence pairs by IBM Model
// 1 (Brown et al. 1993, "The Mathematics of Statistical Machine Translation"). Every target token
// comes from one source token of its sentence, and expectation maximization finds which. Tokens
// without a counterpart end up with the end of the source. With a tension, words that stand near
// the diagonal are likelier counterparts (Dyer et al. 2013, "A Simple, Fast, and Effective
// Reparameterization of IBM Model 2").
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

struct LexiconEntry {
  std::int32_t target;
  float probability;
};

struct LexiconOptions {
  int iterations = 5;
  double tension = 0;  // lambda of Dyer et al.; 0: IBM Model 1
};

// Before the tokens are known: how likely a target at place `target` of `targets` comes from each
// of `sources` tokens, of which the last is the end. The sum is 1, or with tension 0 every one
// is 1.
std::vector<double> likely_places(std::size_t target, std::size_t targets, std::size_t sources,
                                  double tension);

// For every source id its translations, most likely first; ties by lower id. Sources include their
// end token. Precondition: as many targets as sources, and source ids in 0 .. src_vocab_size - 1.
std::vector<std::vector<LexiconEntry>> learn_lexicon(const Ragged& src, const Ragged& tgt,
                                                     int src_vocab_size,
                                                     const LexiconOptions& options = {});

}  // namespace attend
