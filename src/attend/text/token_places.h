// The places of tokens in a text as the library of an imported tokenizer gives them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "attend/tokenizer.h"

namespace attend {

// An imported tokenizer has the offsets of Hugging Face's tokenizers. Others have no such
// library; their places have spaces around them.
struct TokenPlaces {
  // What each id of encode() stands for, before spaces are trimmed.
  static std::vector<TokenSpan> untrimmed(const Tokenizer& tokenizer, std::string_view text,
                                          SpecialText special);
  // Trims the places of `ids`: of all tokens, or of those of a part that a model reads at once, as
  // a tokenizer may treat the first of them in another way.
  static void trim(const Tokenizer& tokenizer, std::string_view text,
                   std::span<const std::int32_t> ids, std::span<TokenSpan> places);
};

}  // namespace attend
