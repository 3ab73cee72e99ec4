// Each rule is a regular expression of tokenizer.perl, in its order: each sees the result of the
// previous one.
#include "attend/text/moses/moses.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/text/moses/moses_rules.h"

namespace attend {
namespace {

using moses::is_alnum;
using moses::is_alpha;
using moses::replace;
using unicode::is_number;
using Text = std::u32string_view;

// Stands for a dot among several; a Unicode noncharacter.
constexpr char32_t kDot = U'\uFDD0';

bool is_letter_to_moses(char32_t c) { return c == kDot || is_alpha(c); }

std::u32string without_control_characters(Text text) {
  std::u32string out = moses::single_spaces(text);
  std::erase_if(out, [](char32_t c) { return c < 0x20 || c == kDot; });
  return out;
}

std::u32string with_special_characters_apart(Text text) {
  return replace(text, [](Text all, std::size_t at, std::u32string& out) -> std::size_t {
    const char32_t c = all[at];
    if (is_alnum(c) || unicode::is_space(c) || Text(U".'`,-").find(c) != Text::npos) return 0;
    out += {U' ', c, U' '};
    return 1;
  });
}

std::u32string with_dots_marked(Text text) {
  return replace(text, [](Text all, std::size_t at, std::u32string& out) -> std::size_t {
    const std::size_t dots = std::min(all.find_first_not_of(U'.', at), all.size()) - at;
    if (dots < 2) return 0;
    out += U' ' + std::u32string(dots, kDot);
    if (at + dots < all.size()) out += U' ';
    return dots;
  });
}

// A comma between numbers stays where it is.
std::u32string with_commas_apart(Text text) {
  const std::u32string before =
      replace(text, [](Text all, std::size_t at, std::u32string& out) -> std::size_t {
        if (is_number(all[at]) || at + 1 == all.size() || all[at + 1] != U',') return 0;
        out += all[at];
        out += U" , ";
        return 2;
      });
  std::u32string both =
      replace(before, [](Text all, std::size_t at, std::u32string& out) -> std::size_t {
        if (all[at] != U',' || at + 1 == all.size() || is_number(all[at + 1])) return 0;
        out += U" , ";
        out += all[at + 1];
        return 2;
      });
  if (both.size() > 1 && both.back() == U',' && is_number(both[both.size() - 2])) {
    both.pop_back();
    both += U" , ";
  }
  return both;
}

// Replaces an apostrophe whose neighbors satisfy `before` and `after` by `to`.
template <class Before, class After>
std::u32string apostrophes(Text text, const Before& before, const After& after, Text to) {
  return replace(text, [&](Text all, std::size_t at, std::u32string& out) -> std::size_t {
    if (at + 2 >= all.size() || all[at + 1] != U'\'' || !before(all[at]) || !after(all[at + 2]))
      return 0;
    out += all[at];
    out += to;
    out += all[at + 2];
    return 3;
  });
}

std::u32string with_apostrophes_apart(Text text, MosesLanguage language) {
  if (language == MosesLanguage::de) return replace(text, U"'", U" ' ");
  const auto letter = is_letter_to_moses;
  const auto other = [](char32_t c) { return !is_letter_to_moses(c); };
  std::u32string out = apostrophes(text, other, other, U" ' ");
  if (language == MosesLanguage::fr) {  // l'homme: l' homme
    out = apostrophes(out, other, letter, U" ' ");
    out = apostrophes(out, letter, other, U" ' ");
    return apostrophes(out, letter, letter, U"' ");
  }
  // it's: it 's. 1990's: 1990 's
  out = apostrophes(
      out, [](char32_t c) { return !is_letter_to_moses(c) && !is_number(c); }, letter, U" ' ");
  out = apostrophes(out, letter, other, U" ' ");
  out = apostrophes(out, letter, letter, U" '");
  return apostrophes(
      out, is_number, [](char32_t c) { return c == U's'; }, U" '");
}

// Whether the period at the end of a word belongs to it.
bool keeps_period(Text word, Text next, MosesLanguage language) {
  const bool dotted =
      word.find(U'.') != Text::npos && std::any_of(word.begin(), word.end(), is_letter_to_moses);
  if (dotted || moses::is_prefix(word, language)) return true;
  if (next.empty()) return false;
  // ª and º are lower-case letters to Moses.
  const bool ordinal = next[0] == U'\u00AA' || next[0] == U'\u00BA';
  return ordinal || unicode::is_lower(next[0]) ||
         (moses::is_prefix_of_numbers(word, language) && next[0] >= U'0' && next[0] <= U'9');
}

std::u32string with_periods_apart(const std::u32string& text, MosesLanguage language) {
  std::u32string out;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(U' ', begin), text.size());
    const Text word = Text(text).substr(begin, end - begin),
               rest = Text(text).substr(std::min(end + 1, text.size()));
    if (begin > 0) out += U' ';
    if (word.size() > 1 && word.back() == U'.' &&
        !keeps_period(word.substr(0, word.size() - 1), rest.substr(0, rest.find(U' ')), language)) {
      out += word.substr(0, word.size() - 1);
      out += U" .";
    } else {
      out += word;
    }
    begin = end + 1;
  }
  return out;
}

std::u32string escaped(Text text) {
  return replace(text, [](Text all, std::size_t at, std::u32string& out) -> std::size_t {
    for (const auto& [character, escape] : moses::kEscapes) {
      if (all[at] != character) continue;
      out += escape;
      return 1;
    }
    return 0;
  });
}

}  // namespace

std::string moses_tokenize(std::string_view text, MosesLanguage language) {
  std::u32string out = moses::single_spaces(without_control_characters(unicode::decode(text)));
  out = with_commas_apart(with_dots_marked(with_special_characters_apart(out)));
  out = moses::single_spaces(with_apostrophes_apart(out, language));
  out = with_periods_apart(out, language);
  if (out.ends_with(U".'")) out.replace(out.size() - 2, 2, U" . '");
  std::replace(out.begin(), out.end(), kDot, U'.');
  return unicode::encode(escaped(moses::single_spaces(out)));
}

}  // namespace attend
