// Splits text into words and punctuation like BERT's basic tokenizer, for WordPiece. Private to
// text/.
#pragma once

#include <functional>
#include <string_view>

#include "attend/text/tokenizer_file.h"

namespace attend::detail {

// Cleans the text according to the options and visits its words in order, as UTF-8.
void for_each_word(std::string_view text, const WordPieceDescription& options,
                   const std::function<void(std::string_view)>& use);

}  // namespace attend::detail
