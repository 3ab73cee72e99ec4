// Learning a byte-level BPE vocabulary as GPT-2's was. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// The bytes of the tokenizer: the control pieces, the 256 bytes, and what merges of them make.
// Errors as Tokenizer::train.
std::string train_byte_bpe(std::span<const std::string> sentences, const TokenizerOptions& options);

}  // namespace attend::detail
