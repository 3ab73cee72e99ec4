#include "attend/text/wordpiece/wordpiece_words.h"

#include <string>

#include "attend/core/strings/utf8.h"
#include "attend/text/normalization/character_classes.h"

namespace attend::detail {
namespace {

std::u32string clean(std::string_view text, const WordPieceDescription& options) {
  std::u32string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (options.clean_text && is_removed_by_bert(c)) continue;
    if (options.clean_text && has_white_space_property(c)) {
      result.push_back(U' ');
    } else if (options.cjk_blanks && is_ideograph(c)) {
      result.append({U' ', c, U' '});
    } else {
      result.push_back(c);
    }
  }
  return result;
}

void strip_accents(std::u32string& text) {
  text = in_form(text, UnicodeForm::nfd, false);
  std::erase_if(text, is_nonspacing_mark);
}

}  // namespace

void for_each_word(std::string_view text, const WordPieceDescription& options,
                   const std::function<void(std::string_view)>& use) {
  std::u32string codes = clean(text, options);
  if (options.strip_accents) strip_accents(codes);
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) use(word);
    word.clear();
  };
  for (const char32_t c : codes) {
    const bool space = options.split_punctuation ? has_white_space_property(c) : c == U' ';
    if (space) {
      finish();
      continue;
    }
    const bool alone = options.split_punctuation && is_word_punctuation(c);
    if (alone) finish();
    options.lowercase ? append_lowercase(word, c) : append_code_point(word, c);
    if (alone) finish();
  }
  finish();
}

}  // namespace attend::detail
