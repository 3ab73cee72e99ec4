#include "attend/text/normalization/normalization.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::detail {
namespace {

constexpr std::array<std::string_view, 5> kForms{"none", "nfc", "nfd", "nfkc", "nfkd"};
constexpr std::size_t kLongestDecomposition = 32;  // of a character; the longest known has 18

bool is_ascii(std::u32string_view text) {
  return std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; });
}

int options_of(UnicodeForm form, bool fold_case) {
  int options = UTF8PROC_STABLE;
  if (form == UnicodeForm::nfc || form == UnicodeForm::nfkc) options |= UTF8PROC_COMPOSE;
  if (form == UnicodeForm::nfd || form == UnicodeForm::nfkd) options |= UTF8PROC_DECOMPOSE;
  if (form == UnicodeForm::nfkc || form == UnicodeForm::nfkd) options |= UTF8PROC_COMPAT;
  if (fold_case) options |= UTF8PROC_CASEFOLD;
  return options;
}

std::u32string decomposed(std::u32string_view text, int options) {
  std::u32string result;
  result.reserve(text.size());
  std::array<utf8proc_int32_t, kLongestDecomposition> buffer{};
  for (const char32_t c : text) {
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), buffer.data(), std::ssize(buffer),
                                static_cast<utf8proc_option_t>(options), &boundary);
    for (utf8proc_ssize_t i = 0; i < std::min<utf8proc_ssize_t>(count, std::ssize(buffer)); ++i)
      result.push_back(static_cast<char32_t>(buffer[static_cast<std::size_t>(i)]));
  }
  return result;
}

int combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// Sorts the marks of each character canonically. The library's own loop takes quadratic time.
void order_marks(std::u32string& text) {
  for (auto begin = text.begin(); begin != text.end();) {
    if (combining_class(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, text.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::stable_sort(
        begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

void compose(std::u32string& text, int options) {
  std::vector<utf8proc_int32_t> codes(text.begin(), text.end());
  const utf8proc_ssize_t size = utf8proc_normalize_utf32(codes.data(), std::ssize(codes),
                                                         static_cast<utf8proc_option_t>(options));
  text.assign(codes.begin(), codes.begin() + std::max<utf8proc_ssize_t>(size, 0));
}

// Direction marks and zero-width characters count as spaces here.
bool is_space_to_clean(char32_t c) {
  return is_white_space(c) || c == 0x200E || c == 0x200F || c == 0xFFFD;
}

std::u32string without_controls(std::u32string_view text) {
  std::u32string result;
  result.reserve(text.size());
  for (const char32_t c : text) {
    if (is_space_to_clean(c)) {
      result.push_back(U' ');
    } else if (utf8proc_category(static_cast<utf8proc_int32_t>(c)) != UTF8PROC_CATEGORY_CC) {
      result.push_back(c);
    }
  }
  return result;
}

void join_spaces(std::u32string& text) {
  const auto end = std::unique(text.begin(), text.end(),
                               [](char32_t a, char32_t b) { return a == U' ' && b == U' '; });
  text.erase(end, text.end());
  if (text.ends_with(U' ')) text.pop_back();
  if (text.starts_with(U' ')) text.erase(0, 1);
}

}  // namespace

std::string_view name_of(UnicodeForm form) { return kForms[static_cast<std::size_t>(form)]; }

std::optional<UnicodeForm> unicode_form(std::string_view name) {
  const auto found = std::find(kForms.begin(), kForms.end(), name);
  if (found == kForms.end()) return std::nullopt;
  return static_cast<UnicodeForm>(found - kForms.begin());
}

std::u32string in_form(std::u32string_view text, UnicodeForm form, bool fold_case) {
  if ((form == UnicodeForm::none && !fold_case) || (is_ascii(text) && !fold_case))
    return std::u32string(text);
  const int options = options_of(form, fold_case);
  std::u32string result = decomposed(text, options);
  if (form != UnicodeForm::none) order_marks(result);
  if ((options & UTF8PROC_COMPOSE) != 0) compose(result, options);
  return result;
}

std::string normalized(std::string_view text, const TextNormalization& normalization) {
  std::u32string codes = unicode::decode(text);
  if (normalization.clean_spaces) codes = without_controls(codes);
  codes = in_form(codes, normalization.form, normalization.fold_case);
  if (normalization.clean_spaces) join_spaces(codes);
  return unicode::encode(codes);
}

bool has_white_space_property(char32_t c) {
  return is_white_space(c) && c != 0x200B && c != 0xFEFF;
}

}  // namespace attend::detail
