// What models would write at every place of a given translation.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/tasks/translation/ensemble.h"
#include "attend/translator.h"

namespace attend {

// Tokens of a pair: src has the marks of a source around it, tgt none.
struct TokenPair {
  std::vector<std::int32_t> src, tgt;
};

// Logits [T + 1, V] of the token after each beginning of the target, on the host; of an ensemble
// the logarithm of the mean of its probabilities.
Tensor target_logits(const TranslationEnsemble& ensemble, const PairSpecialTokens& marks,
                     const TokenPair& pair);

// One for each token of the target, and one for its end. count: at least 1. Tokens that the models
// never write are left out, unless they are written. Throws DataError if a probability is not
// finite.
std::vector<TokenAlternatives> token_alternatives(const TranslationEnsemble& ensemble,
                                                  const PairSpecialTokens& marks,
                                                  const TokenPair& pair, int count);

}  // namespace attend
