// Learning a WordPiece vocabulary: the merges of byte-pair encoding, where a piece that goes on a
// word begins with ## and is another than the one that begins it. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// The bytes of the tokenizer: the control pieces, the characters in their order, and what merges of
// them make. Errors as Tokenizer::train.
std::string train_wordpiece(std::span<const std::string> sentences,
                            const TokenizerOptions& options);

}  // namespace attend::detail
