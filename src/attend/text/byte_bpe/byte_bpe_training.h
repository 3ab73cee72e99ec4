// Trains byte-level BPE vocabularies like that of GPT-2. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// The bytes of the tokenizer. Its pieces: the control pieces, the 256 bytes, and the results of the
// merges. Throws like Tokenizer::train.
std::string train_byte_bpe(std::span<const std::string> sentences, const TokenizerOptions& options);

}  // namespace attend::detail
