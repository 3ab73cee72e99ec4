// The Unicode functions of metrics and tokenizers, based on utf8proc. They behave like Python's
// str: scores are comparable with published ones only if words are split and lower-cased alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend::unicode {

// The code points of `text`, and back. For invalid bytes see next_code_point in
// core/strings/utf8.h.
std::u32string decode(std::string_view text);
std::string encode(std::u32string_view text);

// White space as str.split() sees it: the Unicode spaces and the separators U+001C..U+001F, U+0085.
bool is_space(char32_t c);
// General categories N*, P*, S*.
bool is_number(char32_t c);
bool is_punctuation(char32_t c);
bool is_symbol(char32_t c);
// L*, M*; Lu and Lt; Ll; Nd; Sc.
bool is_letter(char32_t c);
bool is_mark(char32_t c);
bool is_upper(char32_t c);
bool is_lower(char32_t c);
bool is_digit(char32_t c);
bool is_currency(char32_t c);
// The properties Cased, Lowercase and Uppercase; what str.isprintable() accepts.
bool is_cased(char32_t c);
bool is_lowercase(char32_t c);
bool is_uppercase(char32_t c);
bool is_printable(char32_t c);

// The words between white space; views into `text`.
std::vector<std::string_view> split(std::string_view text);
std::string_view strip_right(std::string_view text);
std::string_view strip_left(std::string_view text);
// Without white space around it.
std::string_view strip(std::string_view text);

// str.lower(): the full Unicode mapping, with İ -> i + U+0307 and Σ -> ς at the end of a word
// (Unicode 3.13, Final_Sigma).
std::string lowercase(std::string_view text);
// str.upper(), str.title(), str.capitalize(), str.swapcase(), str.casefold(): full mappings, too.
std::string uppercase(std::string_view text);
std::string titlecase(std::string_view text);
std::string capitalized(std::string_view text);
std::string swapped_case(std::string_view text);
std::string folded_case(std::string_view text);

}  // namespace attend::unicode
