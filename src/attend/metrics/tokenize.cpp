#include "attend/metrics/tokenize.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_point(char c) { return c == '.' || c == ','; }

// ASCII punctuation that is always a token: all except apostrophe, comma, full stop and hyphen.
// Space is included, which is harmless because runs of spaces are merged at the end.
constexpr bool stands_alone(char c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

// Separates every two neighbors with first(a) and second(b), from left to right; a rewritten pair
// is not revisited, as in a global regular expression substitution. The point (first or second half
// of the pair) gets spaces on both sides.
enum class Point { first, second };

template <class String, class First, class Second>
String part_pairs(const String& text, Point point, const First& first, const Second& second) {
  using Char = typename String::value_type;
  constexpr Char space = ' ';
  String out;
  out.reserve(text.size() + text.size() / 4 + 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i + 1 == text.size() || !first(text[i]) || !second(text[i + 1])) {
      out.push_back(text[i]);
      continue;
    }
    if (point == Point::first) out.push_back(space);
    out.push_back(text[i]);
    out.push_back(space);
    out.push_back(text[i + 1]);
    if (point == Point::second) out.push_back(space);
    ++i;
  }
  return out;
}

template <class String, class Predicate>
String set_apart(const String& text, const Predicate& predicate) {
  using Char = typename String::value_type;
  constexpr Char space = ' ';
  String out;
  out.reserve(text.size() + text.size() / 4 + 8);
  for (const Char c : text) {
    if (predicate(c)) {
      out.append({space, c, space});
    } else {
      out.push_back(c);
    }
  }
  return out;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos;
       at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (const auto word : words) {
    if (!out.empty()) out.push_back(' ');
    out.append(word);
  }
  return out;
}

void require_utf8(std::string_view line) {
  if (const auto at = find_invalid_utf8(line); at != std::string_view::npos)
    throw DataError(fmt::format(
        "expected UTF-8, found an invalid sequence at byte {}; convert the text to UTF-8", at));
}

void unescape(std::string& text) {
  if (text.find('&') == std::string::npos) return;
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

// Parts points and commas from what is no digit, and hyphens from digits before them.
std::string part_numbers(std::string text) {
  const auto not_digit = [](char c) { return !is_digit(c); };
  text = part_pairs(text, Point::second, not_digit, is_point);
  text = part_pairs(text, Point::first, is_point, not_digit);
  return part_pairs(text, Point::second, is_digit, [](char c) { return c == '-'; });
}

// mteval-v13a: SGML remains, then four rules in this order. They concern only ASCII, so they work
// on bytes.
std::string tokenize_13a(std::string text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  unescape(text);
  text = part_numbers(set_apart(" " + text + " ", stands_alone));
  return join(unicode::split(text));
}

// Tercom's rules for Western text are those of mteval-v13a, and one for 's.
std::string normalize_western(std::string text) {
  replace_all(text, "\n-", "");
  replace_all(text, "\n", " ");
  unescape(text);
  text = set_apart(" " + text + " ", stands_alone);
  replace_all(text, "'s ", " 's ");
  return part_numbers(std::move(text));
}

// Chinese, Japanese and Korean characters and their punctuation.
constexpr bool is_east_asian_point(char32_t c) {
  return c == 0x3001 || c == 0x3002 || (c >= 0x3008 && c <= 0x3011) ||
         (c >= 0x3014 && c <= 0x301F) || (c >= 0xFF61 && c <= 0xFF65) || c == 0x30FB ||
         c == 0xFF0E || c == 0xFF0C || c == 0xFF1F || c == 0xFF1A || c == 0xFF1B || c == 0xFF01 ||
         c == 0xFF02 || c == 0xFF08 || c == 0xFF09;
}
constexpr bool is_east_asian(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x31C0 && c <= 0x31EF) || (c >= 0x2E80 && c <= 0x2EFF) ||
         (c >= 0x3200 && c <= 0x3F22) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0xFE30 && c <= 0xFE4F) || is_east_asian_point(c);
}

constexpr bool is_removed_point(char32_t c) {
  return std::u32string_view(U".,?:;!\"()").find(c) != std::u32string_view::npos;
}

// mteval-v14: punctuation is a token unless next to a number on that side; symbols always are.
std::string tokenize_intl(std::string_view line) {
  const auto not_number = [](char32_t c) { return !unicode::is_number(c); };
  std::u32string text = unicode::decode(line);
  text = part_pairs(text, Point::second, not_number, unicode::is_punctuation);
  text = part_pairs(text, Point::first, unicode::is_punctuation, not_number);
  text = set_apart(text, unicode::is_symbol);
  return join(unicode::split(unicode::encode(text)));
}

std::string tokenize_char(std::string_view line) {
  std::u32string apart;
  for (const char32_t c : unicode::decode(line)) {
    if (!unicode::is_space(c)) apart.append({c, U' '});
  }
  if (!apart.empty()) apart.pop_back();
  return unicode::encode(apart);
}

}  // namespace

std::span<const std::string_view> enum_names(BleuTokenization) {
  static constexpr std::array<std::string_view, 4> kNames{"13a", "none", "intl", "char"};
  return kNames;
}

std::string bleu_tokenize(std::string_view line, BleuTokenization tokenization) {
  require_utf8(line);
  line = unicode::strip_right(line);
  switch (tokenization) {
    case BleuTokenization::k13a:
      return tokenize_13a(std::string(line));
    case BleuTokenization::intl:
      return tokenize_intl(line);
    case BleuTokenization::characters:
      return tokenize_char(line);
    case BleuTokenization::none:
      break;
  }
  return join(unicode::split(line));
}

std::string ter_tokenize(std::string_view line, const TerOptions& options) {
  require_utf8(line);
  line = unicode::strip_right(line);
  std::string text = options.case_sensitive ? std::string(line) : unicode::lowercase(line);
  if (options.normalized) text = normalize_western(std::move(text));
  if ((options.normalized && options.asian_support) || options.no_punct) {
    std::u32string characters = unicode::decode(text);
    if (options.normalized && options.asian_support)
      characters = set_apart(characters, is_east_asian);
    if (options.no_punct)
      std::erase_if(characters, [&](char32_t c) {
        return is_removed_point(c) || (options.asian_support && is_east_asian_point(c));
      });
    text = unicode::encode(characters);
  }
  return join(unicode::split(text));
}

}  // namespace attend
