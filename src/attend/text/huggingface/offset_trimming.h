// Spaces that ByteLevel and RobertaProcessing, post-processors of Hugging Face's tokenizers, take
// off the places of tokens. Private to text/.
#pragma once

#include <string_view>

#include "attend/text/tokenizer_file.h"
#include "attend/tokenizer.h"

namespace attend::detail {

// The place of a token without as many characters at its ends as the token has spaces there.
// `token`: the letters of its bytes, or the text of an added token. `is_first`: it begins the text,
// or a part of it that a model reads at once.
TokenSpan trimmed(std::string_view text, std::string_view token, TokenSpan span,
                  OffsetTrimming trimming, bool is_first);

}  // namespace attend::detail
