#include "attend/documents/html_characters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A named character of HTML 4, and its code point.
struct NamedCharacter {
  std::string_view name;
  char32_t character;
};

constexpr std::array<std::string_view, 96> kLatinNames{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",
    "copy",   "ordf",   "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn",
    "sup2",   "sup3",   "acute",  "micro",  "para",   "middot", "cedil",  "sup1",   "ordm",
    "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave", "Aacute", "Acirc",  "Atilde",
    "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",   "Igrave",
    "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde",
    "Ouml",   "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",
    "szlig",  "agrave", "aacute", "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil",
    "egrave", "eacute", "ecirc",  "euml",   "igrave", "iacute", "icirc",  "iuml",   "eth",
    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide", "oslash", "ugrave",
    "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
constexpr std::array<NamedCharacter, 17> kOtherNames{{{"amp", U'&'},
                                                      {"lt", U'<'},
                                                      {"gt", U'>'},
                                                      {"quot", U'"'},
                                                      {"apos", U'\''},
                                                      {"ndash", U'–'},
                                                      {"mdash", U'—'},
                                                      {"lsquo", U'‘'},
                                                      {"rsquo", U'’'},
                                                      {"sbquo", U'‚'},
                                                      {"ldquo", U'“'},
                                                      {"rdquo", U'”'},
                                                      {"bdquo", U'„'},
                                                      {"hellip", U'…'},
                                                      {"euro", U'€'},
                                                      {"bull", U'•'},
                                                      {"trade", U'™'}}};

// "#8364", "#x20ac", "euro".
std::optional<char32_t> character_of(std::string_view name) {
  if (name.starts_with('#')) {
    const bool hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
    std::uint32_t value = 0;
    name.remove_prefix(hex ? 2 : 1);
    if (name.empty() || name.size() > 7) return std::nullopt;
    for (const char c : name) {
      const char d = ascii_lower(c);
      const bool is_digit = d >= '0' && d <= '9';
      if (!is_digit && !(hex && d >= 'a' && d <= 'f')) return std::nullopt;
      value =
          value * (hex ? 16 : 10) + static_cast<std::uint32_t>(is_digit ? d - '0' : d - 'a' + 10);
    }
    return value == 0 || value > 0x10ffff ? U'\ufffd' : static_cast<char32_t>(value);
  }
  for (const NamedCharacter& one : kOtherNames)
    if (one.name == name) return one.character;
  const auto latin = std::find(kLatinNames.begin(), kLatinNames.end(), name);
  if (latin == kLatinNames.end()) return std::nullopt;
  return static_cast<char32_t>(0xa0 + (latin - kLatinNames.begin()));
}

// The name between & and ; at the beginning of a text; empty if there is none.
std::string_view escape_at(std::string_view text) {
  std::size_t end = 1;
  while (end < text.size() && end < 12 && (is_letter_or_digit(text[end]) || text[end] == '#'))
    ++end;
  return end > 1 && end < text.size() && text[end] == ';' ? text.substr(1, end - 1)
                                                          : std::string_view();
}

// Whether "&" at the beginning of `text` begins an escape that nobody knows.
bool is_unknown_escape(std::string_view text) {
  const auto escape = escape_at(text);
  return !escape.empty() && !character_of(escape);
}

std::string escaped(std::string_view text, bool keeps_unknown) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '&' && !(keeps_unknown && is_unknown_escape(text.substr(i)))) {
      out += "&amp;";
    } else if (text[i] == '<') {
      out += "&lt;";
    } else if (text[i] == '>') {
      out += "&gt;";
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string unescaped_html(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view name = text[i] == '&' ? escape_at(text.substr(i)) : std::string_view();
    const std::optional<char32_t> character = character_of(name);
    if (character) {
      append_code_point(out, *character);
      i += name.size() + 1;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string escaped_html_text(std::string_view text) { return escaped(text, true); }
std::string escaped_xml_text(std::string_view text) { return escaped(text, false); }

}  // namespace attend
