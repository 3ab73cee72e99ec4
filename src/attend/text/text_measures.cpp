#include "attend/text/text_measures.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// Han letters, hiragana and katakana, also half as wide.
bool is_word_alone(char32_t c) {
  return c >= 0x3040 && ((c <= 0x30ff) || (c >= 0x3400 && c <= 0x4dbf) ||
                         (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
                         (c >= 0xff66 && c <= 0xff9f) || (c >= 0x20000 && c <= 0x3ffff));
}

void count_character(char32_t c, TextMeasures& measures) {
  if (unicode::is_letter(c) || unicode::is_mark(c)) {
    ++measures.letters;
  } else if (unicode::is_number(c)) {
    ++measures.digits;
  } else if (unicode::is_punctuation(c) || unicode::is_symbol(c)) {
    ++measures.punctuation;
  }
}

}  // namespace

TextMeasures measure_text(std::string_view text) {
  TextMeasures measures;
  std::int64_t spaces = 0;  // since the last visible character
  std::int64_t word = 0;    // characters so far of a word that may go on; 0: none
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (is_white_space(c)) {
      ++spaces;
      word = 0;
      continue;
    }
    const bool alone = is_word_alone(c);
    if (alone || word == 0) ++measures.words;
    word = alone ? 0 : word + 1;
    measures.longest_word = std::max<std::int64_t>({measures.longest_word, word, 1});
    if (measures.visible > 0) measures.characters += spaces;
    spaces = 0;
    ++measures.characters;
    ++measures.visible;
    count_character(c, measures);
  }
  return measures;
}

}  // namespace attend
