#include "attend/text/normalization/character_classes.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::detail {
namespace {

struct CodeRange {
  char32_t first, last;
};

constexpr std::array kIdeographs = std::to_array<CodeRange>({{0x4E00, 0x9FFF},
                                                             {0x3400, 0x4DBF},
                                                             {0x20000, 0x2A6DF},
                                                             {0x2A700, 0x2B73F},
                                                             {0x2B740, 0x2B81F},
                                                             {0x2B920, 0x2CEAF},
                                                             {0xF900, 0xFAFF},
                                                             {0x2F800, 0x2FA1F}});
// The symbols that are alphabetic: letters in circles and squares.
constexpr std::array kLetterSymbols = std::to_array<CodeRange>(
    {{0x24B6, 0x24E9}, {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189}});

template <std::size_t N>
bool is_in(const std::array<CodeRange, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const CodeRange& r) { return c >= r.first && c <= r.last; });
}

utf8proc_category_t category_of(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_ascii_letter_or_digit(char32_t c) {
  return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

}  // namespace

bool is_ideograph(char32_t c) { return c >= 0x3400 && is_in(kIdeographs, c); }

bool is_removed_by_bert(char32_t c) {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  if (c == 0xFFFD) return true;
  return category_of(c) >= UTF8PROC_CATEGORY_CC;
}

bool is_word_punctuation(char32_t c) {
  if (c < 0x80) return c > ' ' && c < 0x7F && !is_ascii_letter_or_digit(c);
  return unicode::is_punctuation(c);
}

bool is_word_character(char32_t c) {
  if (c < 0x80) return is_ascii_letter_or_digit(c) || c == '_';
  const auto category = category_of(c);
  const bool letter = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_ME;
  return letter || category == UTF8PROC_CATEGORY_ND || category == UTF8PROC_CATEGORY_NL ||
         category == UTF8PROC_CATEGORY_PC || c == 0x200C || c == 0x200D || is_in(kLetterSymbols, c);
}

bool is_nonspacing_mark(char32_t c) { return c >= 0x80 && category_of(c) == UTF8PROC_CATEGORY_MN; }

void append_lowercase(std::string& text, char32_t c) {
  if (c < 0x80) {
    text.push_back(static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c));
  } else if (c == 0x130) {
    text += "i\xCC\x87";
  } else {
    append_code_point(text,
                      static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
}

}  // namespace attend::detail
