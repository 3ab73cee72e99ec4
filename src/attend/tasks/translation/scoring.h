// Log-probabilities of given translations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/metrics.h"
#include "attend/tasks/translation/model.h"

namespace attend {

// src[i] has the marks of a source around it, tgt[i] none. A pair's score does not depend on the
// others. Throws DataError if one is not finite.
std::vector<SequenceScore> score_pairs(const TranslationModel& model,
                                       const PairSpecialTokens& marks,
                                       std::span<const std::vector<std::int32_t>> src,
                                       std::span<const std::vector<std::int32_t>> tgt);

}  // namespace attend
