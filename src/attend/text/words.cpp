#include "attend/text/words.h"

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {

namespace {

// Han, kana, Thai, Lao, Burmese, Khmer.
bool is_written_without_spaces(char32_t c) {
  return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) ||
         (c >= 0x1780 && c < 0x1800) || (c >= 0x3040 && c < 0x3100) ||
         (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0xff66 && c < 0xffa0) || (c >= 0x20000 && c < 0x40000);
}

bool is_of_word(char32_t c) {
  return unicode::is_letter(c) || unicode::is_mark(c) || unicode::is_number(c);
}

// What a word may have between its letters.
bool joins_letters(char32_t c) {
  return c == U'\'' || c == U'\u2019' || c == U'-' || c == U'\u2010' || c == U'\u2011';
}

}  // namespace

std::vector<TextWord> words_of_text(std::string_view text) {
  std::vector<TextWord> words;
  bool may_go_on = false;    // the last word
  std::string_view between;  // what stands after it, if that may join letters
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const std::string_view bytes = text.substr(begin, at - begin);
    if (is_written_without_spaces(c) && is_of_word(c)) {
      words.push_back({std::string(bytes), true});
      may_go_on = false;
    } else if (is_of_word(c)) {
      if (!may_go_on) words.emplace_back();
      words.back().text += between;
      words.back().text += bytes;
      may_go_on = true;
    } else if (may_go_on && between.empty() && joins_letters(c)) {
      between = bytes;
      continue;
    } else {
      may_go_on = false;
    }
    between = {};
  }
  return words;
}

std::vector<TextWord> lower_words_of_text(std::string_view text) {
  return words_of_text(unicode::lowercase(text));
}

bool is_capitalized(std::string_view word) {
  std::size_t at = 0;
  return !word.empty() && unicode::is_upper(next_code_point(word, at));
}

bool is_small_word(std::string_view word) {
  std::size_t at = 0;
  if (word.empty()) return false;
  const char32_t c = next_code_point(word, at);
  return unicode::is_letter(c) && !unicode::is_upper(c);
}

}  // namespace attend
