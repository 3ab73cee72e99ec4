// Runs SentencePiece's trainer and translates its errors. Private to text/. The engine of pages has
// another function in place of this one (browser/page_trainings.cpp).
#pragma once

#include <span>
#include <string>

#include "attend/text/tokenizer.h"

namespace attend::detail {

// The serialized model. Throws like Tokenizer::train.
std::string train_sentencepiece(std::span<const std::string> sentences,
                                const TokenizerOptions& options);

}  // namespace attend::detail
