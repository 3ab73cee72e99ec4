// Trains WordPiece vocabularies by merges, as in byte-pair encoding. A piece that continues a word
// begins with ## and differs from the one that begins a word. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// The bytes of the tokenizer. Its pieces: the control pieces, the characters in order, and the
// results of the merges. Throws like Tokenizer::train.
std::string train_wordpiece(std::span<const std::string> sentences,
                            const TokenizerOptions& options);

}  // namespace attend::detail
