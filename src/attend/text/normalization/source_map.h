// Where normalized text comes from, character by character. Private to text/.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/normalization/normalization.h"
#include "attend/text/tokenizer_engine.h"

namespace attend::detail {

// Marks, the vowels and final consonants of Hangul, and controls, which may separate these from
// their letter and are removed.
bool continues_character(char32_t c);

// Normalizes a character with the marks that belong to it, which it may also remove.
using NormalizeCharacter = std::function<std::string(std::string_view)>;

// Does character by character what normalized() does with the whole text; spaces at the end stay.
// Remembers what came before.
NormalizeCharacter character_normalizer(const TextNormalization& normalization);

class SourceMap {
 public:
  SourceMap(std::string_view text, const NormalizeCharacter& normalize);

  // The bytes of the text that bytes [begin, end) of the normalized text come from: whole
  // characters. Bytes beyond the end come from the last one.
  TokenSpan source(std::size_t begin, std::size_t end) const;

 private:
  struct Character {
    std::size_t normalized;  // where it begins
    std::size_t begin, end;  // in the text
  };
  const Character& at(std::size_t normalized) const;

  std::vector<Character> characters_;  // those that are not removed
};

}  // namespace attend::detail
