#include "attend/metrics/tokenize.h"

#include <fmt/format.h>

#include <array>
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

// mteval-v13a: SGML remains, then four rules in this order. They concern only ASCII, so they work
// on bytes.
std::string tokenize_13a(std::string text) {
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  if (text.find('&') != std::string::npos) {
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
  }
  const auto not_digit = [](char c) { return !is_digit(c); };
  text = set_apart(" " + text + " ", stands_alone);
  text = part_pairs(text, Point::second, not_digit, is_point);
  text = part_pairs(text, Point::first, is_point, not_digit);
  text = part_pairs(text, Point::second, is_digit, [](char c) { return c == '-'; });
  return join(unicode::split(text));
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
  if (const auto at = find_invalid_utf8(line); at != std::string_view::npos) {
    throw DataError(fmt::format(
        "expected UTF-8, found an invalid sequence at byte {}; convert the text to UTF-8", at));
  }
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

}  // namespace attend
