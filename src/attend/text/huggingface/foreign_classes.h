// Classes of characters as Hugging Face's tokenizers library has them, whose tables are of several
// versions of Unicode. Tokenizers that attend has trained keep those of character_classes.h.
// Private to text/.
#pragma once

#include <string>

namespace attend::detail {

// The categories Mn; M*; P* with the symbols of ASCII; N*.
bool is_foreign_nonspacing_mark(char32_t c);
bool is_foreign_mark(char32_t c);
bool is_foreign_punctuation(char32_t c);
bool is_foreign_number(char32_t c);
// What BertNormalizer removes from text.
bool is_removed_by_foreign_bert(char32_t c);
// \w of a regular expression.
bool is_foreign_word(char32_t c);
// Whether the library's tables are older than the decomposition of a character.
bool is_never_decomposed(char32_t c);

void append_foreign_lowercase(std::string& text, char32_t c);

}  // namespace attend::detail
