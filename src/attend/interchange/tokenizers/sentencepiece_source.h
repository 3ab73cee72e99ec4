// SentencePiece models as transformers turns them into a tokenizer.json. Private to interchange/.
#pragma once

#include <string>
#include <string_view>

#include "attend/interchange/tokenizers/named_tokenizers.h"

namespace attend::detail {

// The vocabulary of a SentencePiece model for a class with a model of this type ("Unigram", "BPE";
// "": that of the file), which build_named_tokenizer() orders. Throws DataError.
TokenizerSource read_sentencepiece_source(std::string_view bytes, std::string_view type,
                                          const std::string& where);

// The whole tokenizer of a model whose class has no rules of its own. Throws DataError.
TokenizerSource read_generic_sentencepiece(std::string_view bytes,
                                           const TokenizerSettings& settings,
                                           const std::string& where);

}  // namespace attend::detail
