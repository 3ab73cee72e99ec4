#include "attend/core/strings/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"

namespace attend::unicode {
namespace {

struct Range {
  char32_t first, last;
};

// The ranges are sorted and disjoint.
template <std::size_t N>
bool contains(const std::array<Range, N>& ranges, char32_t c) {
  const auto after =
      std::upper_bound(ranges.begin(), ranges.end(), c,
                       [](char32_t value, const Range& r) { return value < r.first; });
  return after != ranges.begin() && c <= std::prev(after)->last;
}

// Other_Lowercase and Other_Uppercase (PropList.txt): letters and marks that are Cased without
// being Lu, Ll or Lt.
constexpr std::array kOtherCased = std::to_array<Range>({
    {0x00AA, 0x00AA},   {0x00BA, 0x00BA},   {0x02B0, 0x02B8},   {0x02C0, 0x02C1},
    {0x02E0, 0x02E4},   {0x0345, 0x0345},   {0x037A, 0x037A},   {0x1D2C, 0x1D6A},
    {0x1D78, 0x1D78},   {0x1D9B, 0x1DBF},   {0x2071, 0x2071},   {0x207F, 0x207F},
    {0x2090, 0x209C},   {0x2160, 0x217F},   {0x24B6, 0x24E9},   {0x2C7C, 0x2C7D},
    {0xA69C, 0xA69D},   {0xA770, 0xA770},   {0xA7F8, 0xA7F9},   {0xAB5C, 0xAB5F},
    {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107B0}, {0x107B2, 0x107BA},
    {0x1F130, 0x1F149}, {0x1F150, 0x1F169}, {0x1F170, 0x1F189},
});

// Word_Break = MidLetter, MidNumLet or Single_Quote: punctuation that does not end a word.
constexpr std::u32string_view kInsideWords =
    U"\u0027\u002E\u003A\u00B7\u0387\u055F\u05F4\u2018\u2019\u2024\u2027\uFE13\uFE52\uFE55\uFF07"
    U"\uFF0E\uFF1A";

constexpr char32_t kCapitalSigma = U'\u03A3', kFinalSigma = U'\u03C2', kDottedCapitalI = U'\u0130',
                   kDotAbove = U'\u0307';

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

// The ones with the property Uppercase.
constexpr std::array kOtherUppercase = std::to_array<Range>({
    {0x2160, 0x216F},
    {0x24B6, 0x24CF},
    {0x1F130, 0x1F149},
    {0x1F150, 0x1F169},
    {0x1F170, 0x1F189},
});

bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return kInsideWords.find(c) != std::u32string_view::npos;
  }
}

// Final_Sigma: preceded but not followed by a cased letter, skipping case-ignorable characters.
bool ends_word(std::u32string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

char32_t simple_upper(char32_t c) {
  return static_cast<char32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c)));
}
char32_t simple_title(char32_t c) {
  return static_cast<char32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c)));
}

// The full case folding.
std::u32string fold(char32_t c) {
  std::array<utf8proc_int32_t, 8> codes{};
  int boundary = UTF8PROC_BOUNDCLASS_START;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), codes.data(),
                                            codes.size(), UTF8PROC_CASEFOLD, &boundary);
  std::u32string folded;
  for (utf8proc_ssize_t i = 0; i < size && i < 8; ++i)
    folded.push_back(static_cast<char32_t>(codes[static_cast<std::size_t>(i)]));
  return folded;
}

// Some letters are several in upper case: those of their case folding. Capital letters are not.
void append_upper(std::u32string& upper, char32_t c) {
  const std::u32string folded = category(c) == UTF8PROC_CATEGORY_LU ? std::u32string() : fold(c);
  if (folded.size() < 2) return upper.push_back(simple_upper(c));
  for (const char32_t part : folded) upper.push_back(simple_upper(part));
}

// Several letters begin with a capital, unless there is one letter for that.
void append_title(std::u32string& title, char32_t c) {
  const auto kind = category(c);
  const bool is_capital = kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LT;
  const bool has_own = category(simple_title(c)) == UTF8PROC_CATEGORY_LT;
  const std::u32string folded = is_capital || has_own ? std::u32string() : fold(c);
  if (folded.size() < 2) return title.push_back(simple_title(c));
  bool has_begun = false;
  for (std::size_t i = 0; i < folded.size(); ++i) {
    // An iota after the first letter stays below it.
    const char32_t part = i > 0 && folded[i] == U'\u03B9' ? U'\u0345' : folded[i];
    title.push_back(has_begun ? part : simple_title(part));
    has_begun = has_begun || is_cased(part);
  }
}

void append_lower(std::u32string& lower, std::u32string_view codes, std::size_t at) {
  const char32_t c = codes[at];
  if (c == kCapitalSigma && ends_word(codes, at)) {
    lower.push_back(kFinalSigma);
  } else if (c == kDottedCapitalI) {
    lower.append({U'i', kDotAbove});
  } else {
    lower.push_back(static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c))));
  }
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

}  // namespace

std::u32string decode(std::string_view text) {
  std::u32string codes;
  codes.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) codes.push_back(next_code_point(text, at));
  return codes;
}

std::string encode(std::u32string_view text) {
  std::string bytes;
  bytes.reserve(text.size() + 8);
  for (const char32_t c : text) append_code_point(bytes, c);
  return bytes;
}

bool is_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
  return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
         c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool is_number(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_ND && kind <= UTF8PROC_CATEGORY_NO;
}

bool is_punctuation(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_PC && kind <= UTF8PROC_CATEGORY_PO;
}

bool is_symbol(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_SM && kind <= UTF8PROC_CATEGORY_SO;
}

bool is_letter(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(char32_t c) {
  const auto kind = category(c);
  return kind >= UTF8PROC_CATEGORY_MN && kind <= UTF8PROC_CATEGORY_ME;
}

bool is_upper(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU || category(c) == UTF8PROC_CATEGORY_LT;
}
bool is_lower(char32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }
bool is_digit(char32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }
bool is_currency(char32_t c) { return category(c) == UTF8PROC_CATEGORY_SC; }

bool is_cased(char32_t c) {
  const auto kind = category(c);
  return kind == UTF8PROC_CATEGORY_LU || kind == UTF8PROC_CATEGORY_LL ||
         kind == UTF8PROC_CATEGORY_LT || contains(kOtherCased, c);
}
bool is_uppercase(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LU || contains(kOtherUppercase, c);
}
bool is_lowercase(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_LL ||
         (contains(kOtherCased, c) && !contains(kOtherUppercase, c));
}
bool is_printable(char32_t c) {
  const auto kind = category(c);
  if (c == U' ') return true;
  return kind != UTF8PROC_CATEGORY_CN && kind < UTF8PROC_CATEGORY_ZS;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> words;
  std::size_t word = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    if (!is_space(next_code_point(text, at))) continue;
    if (begin > word) words.push_back(text.substr(word, begin - word));
    word = at;
  }
  if (word < text.size()) words.push_back(text.substr(word));
  return words;
}

std::string_view strip_right(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_space(next_code_point(text, at))) end = at;
  }
  return text.substr(0, end);
}

std::string_view strip_left(std::string_view text) {
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size(); begin = at)
    if (!is_space(next_code_point(text, at))) break;
  return text.substr(begin);
}

std::string_view strip(std::string_view text) { return strip_left(strip_right(text)); }

std::string lowercase(std::string_view text) {
  if (is_ascii(text)) return ascii_lower(text);
  const std::u32string codes = decode(text);
  std::u32string lower;
  lower.reserve(codes.size() + 1);
  for (std::size_t i = 0; i < codes.size(); ++i) append_lower(lower, codes, i);
  return encode(lower);
}

std::string uppercase(std::string_view text) {
  std::u32string upper;
  for (const char32_t c : decode(text)) append_upper(upper, c);
  return encode(upper);
}

std::string titlecase(std::string_view text) {
  const std::u32string codes = decode(text);
  std::u32string title;
  for (std::size_t i = 0; i < codes.size(); ++i)
    i > 0 && is_cased(codes[i - 1]) ? append_lower(title, codes, i) : append_title(title, codes[i]);
  return encode(title);
}

std::string capitalized(std::string_view text) {
  const std::u32string codes = decode(text);
  std::u32string result;
  for (std::size_t i = 0; i < codes.size(); ++i)
    i > 0 ? append_lower(result, codes, i) : append_title(result, codes[i]);
  return encode(result);
}

std::string swapped_case(std::string_view text) {
  const std::u32string codes = decode(text);
  std::u32string result;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (is_uppercase(codes[i]))
      append_lower(result, codes, i);
    else if (is_lowercase(codes[i]))
      append_upper(result, codes[i]);
    else
      result.push_back(codes[i]);
  }
  return encode(result);
}

std::string folded_case(std::string_view text) {
  std::u32string folded;
  for (const char32_t c : decode(text)) folded += fold(c);
  return encode(folded);
}

}  // namespace attend::unicode
