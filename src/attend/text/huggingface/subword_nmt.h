// Byte-pair encoding as subword-nmt (Sennrich et al. 2016) and fastBPE apply it to a word. Private
// to text/.
//
// A merge may make a symbol that is no piece of the vocabulary; it is unknown where it remains. The
// last symbol of a word has a suffix: "lower" may be "low" and "er</w>".
#pragma once

#include <memory>

#include "attend/text/huggingface/piece_models.h"

namespace attend::detail {

// `vocabulary` must outlive the model. Throws DataError, stating only the reason.
std::unique_ptr<const PieceModel> make_subword_nmt(const PieceModelDescription& description,
                                                   const Vocabulary& vocabulary);

}  // namespace attend::detail
