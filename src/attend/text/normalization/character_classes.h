// Classes of characters by which BERT and Hugging Face's tokenizers cut text. Private to text/.
#pragma once

#include <string>

namespace attend::detail {

// Unified ideographs, their extensions A to E, and compatibility forms, as in BERT.
bool is_ideograph(char32_t c);
// What BERT removes from text: controls, formats and private characters.
bool is_removed_by_bert(char32_t c);
// Every ASCII character that is no letter, digit, space or control, and the category P*.
bool is_word_punctuation(char32_t c);
// \w of a regular expression: letters, marks, decimal digits, connectors and joiners.
bool is_word_character(char32_t c);
// The category Mn.
bool is_nonspacing_mark(char32_t c);

// Letter by letter: İ becomes two characters, and Σ is the same everywhere.
void append_lowercase(std::string& text, char32_t c);

}  // namespace attend::detail
