// Text -> the words and punctuation that WordPiece cuts, as BERT's basic tokenizer makes them.
// Private to text/.
#pragma once

#include <functional>
#include <string_view>

#include "attend/text/tokenizer_file.h"

namespace attend::detail {

// Cleans the text as the options say and gives its words one after the other, as UTF-8.
void for_each_word(std::string_view text, const WordPieceDescription& options,
                   const std::function<void(std::string_view)>& use);

}  // namespace attend::detail
