// Running SentencePiece's trainer and reading its complaints. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// SentencePiece logs to the standard error stream; a library does not. Idempotent.
void silence_sentencepiece();

// The serialized model. Errors as Tokenizer::train.
std::string train_sentencepiece(std::span<const std::string> sentences,
                                const TokenizerOptions& options);

}  // namespace attend::detail
