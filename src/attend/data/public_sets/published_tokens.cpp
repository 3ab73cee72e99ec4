#include "attend/data/public_sets/published_tokens.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/text/preparation.h"

namespace attend {
namespace {

// The scripts of 2017 make a double quotation mark of a typographic single one, except between two
// letters; later ones make an apostrophe.
std::u32string with_double_quotes(std::u32string_view text, char32_t quote) {
  const auto is_letter = [](char32_t c) {
    return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z');
  };
  std::u32string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_between =
        i + 2 < text.size() && text[i + 1] == quote && is_letter(text[i]) && is_letter(text[i + 2]);
    if (is_between) {
      out += text.substr(i, 3);
      i += 2;
    } else {
      out += text[i] == quote ? U'"' : text[i];
    }
  }
  return out;
}

// A period and an apostrophe at the end become tokens after blanks are joined: the script leaves a
// blank before a period that has one, and one at the end. In German they are tokens earlier.
std::string with_blanks_of_last_quote(std::string tokens, std::string_view normalized,
                                      MosesLanguage language) {
  constexpr std::string_view kLast = " . &apos;";
  if (language == MosesLanguage::de || !normalized.ends_with(".'") || normalized.ends_with("..'") ||
      !tokens.ends_with(kLast))
    return tokens;
  if (normalized.ends_with(" .'")) tokens.insert(tokens.size() - kLast.size(), " ");
  return tokens + " ";
}

}  // namespace

bool has_moses_rules(std::string_view language) {
  const auto names = enum_names(MosesLanguage{});
  return std::find(names.begin(), names.end(), language) != names.end();
}

std::string moses_line(std::string_view line, const std::string& language) {
  const MosesLanguage rules = moses_language(language, "src-lang");
  std::u32string text = unicode::decode(unicode::lowercase(line) + "\n");
  for (const char32_t quote : {U'\u2018', U'\u2019', U'\u201A'})
    text = with_double_quotes(text, quote);
  const std::string normalized = moses_normalize(unicode::encode(text), rules);
  return with_blanks_of_last_quote(moses_tokenize(normalized, rules), normalized, rules);
}

}  // namespace attend
