// Shared rules of the Moses tools: character classes, abbreviations, escapes. Private to text/.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "attend/text/moses/moses.h"

namespace attend::moses {

// Letters, including combining vowels; excluding Han, Hangul and Kana, whose characters are
// separate tokens.
bool is_alpha(char32_t c);
bool is_alnum(char32_t c);
bool is_cjk(char32_t c);

// Whether a period after this word belongs to it: always, or only before a number.
bool is_prefix(std::u32string_view word, MosesLanguage language);
bool is_prefix_of_numbers(std::u32string_view word, MosesLanguage language);

// The escapes in order of application. Unescaping uses the order of kUnescapes.
inline constexpr std::array<std::pair<char32_t, std::u32string_view>, 8> kEscapes{
    {{U'&', U"&amp;"},
     {U'|', U"&#124;"},
     {U'<', U"&lt;"},
     {U'>', U"&gt;"},
     {U'\'', U"&apos;"},
     {U'"', U"&quot;"},
     {U'[', U"&#91;"},
     {U']', U"&#93;"}}};
inline constexpr std::array<std::pair<std::u32string_view, char32_t>, 11> kUnescapes{
    {{U"&bar;", U'|'},
     {U"&#124;", U'|'},
     {U"&lt;", U'<'},
     {U"&gt;", U'>'},
     {U"&bra;", U'['},
     {U"&ket;", U']'},
     {U"&quot;", U'"'},
     {U"&apos;", U'\''},
     {U"&#91;", U'['},
     {U"&#93;", U']'},
     {U"&amp;", U'&'}}};

// Replaces matches from left to right like a regular expression: `rule(text, at, out)` appends the
// replacement of a match at `at` and returns its length, or returns 0.
template <class Rule>
std::u32string replace(std::u32string_view text, const Rule& rule) {
  std::u32string out;
  out.reserve(text.size() + text.size() / 4);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = rule(text, at, out);
    if (length == 0) out += text[at++];
    at += length;
  }
  return out;
}

// The same for a fixed text.
std::u32string replace(std::u32string_view text, std::u32string_view from, std::u32string_view to);

// Merges runs of white space into one space and removes outer ones.
std::u32string single_spaces(std::u32string_view text);

}  // namespace attend::moses
