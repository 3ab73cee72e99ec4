#include "attend/text/language/language_features.h"

#include <algorithm>
#include <string>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/normalization/normalization.h"

namespace attend::detail {
namespace {

// tools/languages/ngrams.py has the same numbers.
constexpr std::size_t kLongest = 4;
constexpr std::uint32_t kFactor = 0x9E3779B1;
constexpr char32_t kBlock = 128;
constexpr std::uint32_t kOfBlock = 7, kOfWord = 8;
constexpr char32_t kEdge = U' ';
constexpr char32_t kDotAbove = U'\u0307';  // of a small İ

std::uint32_t mixed(std::uint32_t hash, std::uint32_t kind) {
  hash = (hash + kind * 0x85EBCA6BU) * 0xC2B2AE35U;
  hash ^= hash >> 15;
  return hash * 0x27D4EB2FU;
}

// Thai, Lao, Burmese, Khmer, kana and Han.
bool is_unspaced(char32_t c) {
  if (c < 0xE00) return false;
  const auto in = [c](char32_t first, char32_t end) { return c >= first && c < end; };
  return in(0xE00, 0xF00) || in(0x1000, 0x10A0) || in(0x1780, 0x1800) || in(0x3005, 0x3100) ||
         in(0x31F0, 0x3200) || in(0x3400, 0xA000) || in(0xF900, 0xFB00) || in(0xFF66, 0xFFA0) ||
         c >= 0x20000;
}

bool is_word_character(char32_t c) {
  if (c < 0x80) return c >= U'a' && c <= U'z';
  return unicode::is_letter(c) || unicode::is_mark(c);
}

bool is_address(std::string_view word) {
  return word.find("://") != std::string_view::npos || word.find('@') != std::string_view::npos;
}

// `word` is a run of letters with kEdge at both ends.
void add_features(std::u32string_view word, std::vector<std::uint32_t>& features) {
  const std::size_t end = word.size() - 1;
  std::uint32_t whole = 0;
  bool any_unspaced = false;
  for (std::size_t begin = 0; begin < end; ++begin) {
    std::uint32_t hash = 0;
    for (std::size_t n = 1; n <= kLongest && begin + n <= word.size(); ++n) {
      const char32_t c = word[begin + n - 1];
      hash = hash * kFactor + c;
      if (is_unspaced(c) || is_unspaced(word[begin])) {
        const bool is_pair = n == 2 && c != kEdge && word[begin] != kEdge;
        if (is_pair) features.push_back(mixed(hash, 2));
        if (n > 1) break;
      } else if (n > 1) {
        features.push_back(mixed(hash, static_cast<std::uint32_t>(n)));
      }
    }
    if (begin == 0) continue;
    const char32_t c = word[begin];
    features.push_back(mixed(c, 1));
    features.push_back(mixed(c / kBlock, kOfBlock));
    whole = whole * kFactor + c;
    any_unspaced = any_unspaced || is_unspaced(c);
  }
  const std::size_t letters = word.size() - 2;
  if (letters + 2 > kLongest && !any_unspaced) features.push_back(mixed(whole, kOfWord));
}

void read(std::string_view text, bool with_addresses, std::vector<std::uint32_t>& features) {
  std::u32string word(1, kEdge);
  const auto end_word = [&] {
    if (word.size() == 1) return;
    word.push_back(kEdge);
    add_features(word, features);
    word.resize(1);
  };
  for (const std::string_view part : unicode::split(text)) {
    if (!with_addresses && is_address(part)) continue;
    for (std::size_t at = 0; at < part.size();) {
      const char32_t c = next_code_point(part, at);
      if (!is_word_character(c))
        end_word();
      else if (c != kDotAbove)
        word.push_back(c);
    }
    end_word();
  }
}

}  // namespace

std::vector<std::uint32_t> language_features(std::string_view text) {
  constexpr std::size_t kRead = 4096;
  const std::string composed = normalized(text.substr(0, kRead), {.form = UnicodeForm::nfc});
  const std::string small = unicode::lowercase(composed);
  std::vector<std::uint32_t> features;
  read(small, /*with_addresses=*/false, features);
  if (features.empty()) read(small, /*with_addresses=*/true, features);
  return features;
}

}  // namespace attend::detail
