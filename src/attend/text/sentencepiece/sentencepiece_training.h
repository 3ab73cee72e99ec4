// Runs SentencePiece's trainer and translates its errors. Private to text/.
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// Disables SentencePiece's logging to standard error. Idempotent.
void silence_sentencepiece();

// The serialized model. Throws like Tokenizer::train.
std::string train_sentencepiece(std::span<const std::string> sentences,
                                const TokenizerOptions& options);

}  // namespace attend::detail
