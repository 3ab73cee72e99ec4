#include "attend/text/wordpiece_words.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <string>

#include "attend/core/unicode.h"
#include "attend/core/utf8.h"

namespace attend::detail {
namespace {

struct CodeRange {
  char32_t first, last;
};

// As in BERT: unified ideographs, their extensions A to E, and compatibility forms.
constexpr std::array kIdeographs = std::to_array<CodeRange>({{0x4E00, 0x9FFF},
                                                             {0x3400, 0x4DBF},
                                                             {0x20000, 0x2A6DF},
                                                             {0x2A700, 0x2B73F},
                                                             {0x2B740, 0x2B81F},
                                                             {0x2B920, 0x2CEAF},
                                                             {0xF900, 0xFAFF},
                                                             {0x2F800, 0x2FA1F}});

bool is_ideograph(char32_t c) {
  return c >= 0x3400 &&
         std::any_of(kIdeographs.begin(), kIdeographs.end(),
                     [c](const CodeRange& r) { return c >= r.first && c <= r.last; });
}

utf8proc_category_t category_of(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

// Controls, formats and private characters.
bool is_removed(char32_t c) {
  if (c < 0x80) return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
  if (c == 0xFFFD) return true;
  return category_of(c) >= UTF8PROC_CATEGORY_CC;
}

bool is_word_punctuation(char32_t c) {
  if (c < 0x80)
    return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') && !((c | 32) >= 'a' && (c | 32) <= 'z');
  return unicode::is_punctuation(c);
}

std::u32string clean(std::string_view text, const WordPieceDescription& options) {
  std::u32string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = next_code_point(text, at);
    if (options.clean_text && is_removed(c)) continue;
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
  std::erase_if(text,
                [](char32_t c) { return c >= 0x80 && category_of(c) == UTF8PROC_CATEGORY_MN; });
}

// Letter by letter: İ becomes two characters, and Σ is the same everywhere.
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
