// Characters at the ends and beginnings of sentences, in all scripts.
#pragma once

#include <cstddef>
#include <string_view>

namespace attend {

// Line breaks and tabs: no sentence goes beyond them.
bool is_line_end(char32_t c);

// Marks that end sentences: . ! ? … and their equals.
bool is_stop(char32_t c);
// Stops that need no space after them, as in Chinese, Hindi or Arabic.
bool is_free_stop(char32_t c);

// Quotes and brackets. Many quotes do both: "„Ja.“" in German, "“Yes.”" in English.
bool closes_quote(char32_t c);
bool closes_bracket(char32_t c);
bool opens_bracket(char32_t c);
// What may stand before the first word of a sentence: quotes, brackets, dashes, ¿, bullets.
bool stands_before_sentence(char32_t c);
// Marks after which no sentence begins: commas, colons, closing brackets.
bool goes_on(char32_t c);

// Marks of direction and joiners, which have no shape.
bool is_invisible(char32_t c);
// Ideographs and kana, which are written without spaces.
bool is_written_without_spaces(char32_t c);
// Letters of a script with small and capital ones. Georgian has no capitals in sentences, although
// Unicode says that its letters are small.
bool is_small(char32_t c);
bool is_capital(char32_t c);
// Letters that stand for a name, as "J" in "J. S. Bach" and "א" in "א. ב. יהושע": capitals, and
// letters of scripts without capitals in which one letter is seldom a word.
bool can_be_initial(char32_t c);

// The character that ends at byte `end` > 0, and where it begins. Bytes that are no character are
// read as next_code_point reads them: each as U+FFFD.
struct CharacterBefore {
  std::size_t begin;
  char32_t character;
};
CharacterBefore character_before(std::string_view text, std::size_t end);

}  // namespace attend
