// Each rule is a regular expression of normalize-punctuation.perl, in its order.
#include <algorithm>
#include <span>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/text/moses/moses.h"
#include "attend/text/moses/moses_rules.h"

namespace attend {
namespace {

using moses::replace;
using View = std::u32string_view;
using Pairs = std::span<const std::pair<View, View>>;

constexpr char32_t kNoBreakSpace = U'\u00A0';

std::u32string replace_all(std::u32string text, Pairs pairs) {
  for (const auto& [from, to] : pairs) text = replace(text, from, to);
  return text;
}

std::u32string with_single_blanks(View text) {
  return replace(text, [](View all, std::size_t at, std::u32string& out) -> std::size_t {
    if (all[at] != U' ') return 0;
    out += U' ';
    return std::min(all.find_first_not_of(U' ', at), all.size()) - at;
  });
}

bool is_ascii_letter(char32_t c) { return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z'); }

// Replaces `between` by `to` after a digit and before what `after` accepts.
template <class Before, class After>
std::u32string replace_between(View text, const Before& before, char32_t between,
                               const After& after, View to) {
  return replace(text, [&](View all, std::size_t at, std::u32string& out) -> std::size_t {
    if (at + 2 >= all.size() || all[at + 1] != between || !before(all[at]) || !after(all[at + 2]))
      return 0;
    out += all[at];
    out += to;
    out += all[at + 2];
    return 3;
  });
}

std::u32string with_brackets_close(std::u32string text) {
  static constexpr std::pair<View, View> kApart[]{{U"\r", U""}, {U"(", U" ("}, {U")", U") "}};
  text = with_single_blanks(replace_all(std::move(text), kApart));
  text = replace(text, [](View all, std::size_t at, std::u32string& out) -> std::size_t {
    if (!all.substr(at).starts_with(U") ") || at + 2 == all.size() ||
        View(U".!:?;,").find(all[at + 2]) == View::npos)
      return 0;
    out += {U')', all[at + 2]};
    return 3;
  });
  static constexpr std::pair<View, View> kTogether[]{{U"( ", U"("}, {U" )", U")"}};
  text = replace_all(std::move(text), kTogether);
  text = replace_between(
      text, unicode::is_digit, U' ', [](char32_t c) { return c == U'%'; }, U"");
  static constexpr std::pair<View, View> kMarks[]{
      {U" :", U":"}, {U" ;", U";"}, {U"`", U"'"}, {U"''", U" \" "}};
  return replace_all(std::move(text), kMarks);
}

std::u32string with_ascii_marks(std::u32string text) {
  static constexpr std::pair<View, View> kQuotes[]{{U"\u201E", U"\""},
                                                   {U"\u201C", U"\""},
                                                   {U"\u201D", U"\""},
                                                   {U"\u2013", U"-"},
                                                   {U"\u2014", U" - "}};
  text = replace(with_single_blanks(replace_all(std::move(text), kQuotes)), U"\u00B4", U"'");
  for (const char32_t quote : {U'\u2018', U'\u2019'})
    text = replace_between(text, is_ascii_letter, quote, is_ascii_letter, U"'");
  static constexpr std::pair<View, View> kOthers[]{
      {U"\u2018", U"'"},
      {U"\u201A", U"'"},
      {U"\u2019", U"'"},
      {U"''", U"\""},
      {U"\u00B4\u00B4", U"\""},
      {U"\u2026", U"..."},
      {U"\u00A0\u00AB\u00A0", U"\""},
      {U"\u00AB\u00A0", U"\""},
      {U"\u00AB", U"\""},
      {U"\u00A0\u00BB\u00A0", U"\""},
      {U"\u00A0\u00BB", U"\""},
      {U"\u00BB", U"\""},
      {U"\u00A0%", U"%"},
      {U"n\u00BA\u00A0", U"n\u00BA "},
      {U"\u00A0:", U":"},
      {U"\u00A0\u00BAC", U" \u00BAC"},
      {U"\u00A0cm", U" cm"},
      {U"\u00A0?", U"?"},
      {U"\u00A0!", U"!"},
      {U"\u00A0;", U";"},
      {U",\u00A0", U", "},
  };
  return with_single_blanks(replace_all(std::move(text), kOthers));
}

// "word", -> "word," in English, the reverse elsewhere.
std::u32string with_quotes_placed(View text, MosesLanguage language) {
  if (language == MosesLanguage::en) {
    return replace(text, [](View all, std::size_t at, std::u32string& out) -> std::size_t {
      const std::size_t end = std::min(all.find_first_not_of(U",.", at + 1), all.size());
      if (all[at] != U'"' || end == at + 1) return 0;
      out += all.substr(at + 1, end - at - 1);
      out += U'"';
      return end - at;
    });
  }
  const std::u32string commas = replace(text, U",\"", U"\",");
  // Periods, the quote, white space and one character other than '<': not at the end of the
  // sentence.
  return replace(commas, [](View all, std::size_t at, std::u32string& out) -> std::size_t {
    const std::size_t quote = std::min(all.find_first_not_of(U'.', at), all.size());
    if (quote == at || quote == all.size() || all[quote] != U'"') return 0;
    std::size_t last = quote + 1;
    while (last < all.size() && unicode::is_space(all[last])) ++last;
    if (last == all.size() || all[last] == U'<')
      --last;  // then the last of the white space is that character
    if (last <= quote) return 0;
    out += U'"';
    out += all.substr(at, quote - at);
    out += all.substr(quote + 1, last - quote);
    return last + 1 - at;
  });
}

}  // namespace

std::string moses_normalize(std::string_view text, MosesLanguage language) {
  std::u32string out =
      with_quotes_placed(with_ascii_marks(with_brackets_close(unicode::decode(text))), language);
  out = replace_between(out, unicode::is_digit, kNoBreakSpace, unicode::is_digit,
                        language == MosesLanguage::en ? U"." : U",");
  std::size_t begin = 0, end = out.size();
  while (begin < end && unicode::is_space(out[begin])) ++begin;
  while (end > begin && unicode::is_space(out[end - 1])) --end;
  return unicode::encode(View(out).substr(begin, end - begin));
}

}  // namespace attend
