#include "attend/documents/markup/html_characters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "attend/core/files/embedded_file.h"
#include "attend/core/strings/ascii.h"
#include "attend/core/strings/utf8.h"

namespace attend {

// html.txt: the names of the HTML standard, with the code points of each; those that end with a
// semicolon need one.
std::span<const EmbeddedFile> character_name_files();

namespace {

// HTML reads the numbers of Windows' control characters as its letters; 0: as they are.
constexpr std::array<char32_t, 32> kWindowsCharacters{
    0x20ac, 0,      0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021, 0x2c6,  0x2030, 0x160,
    0x2039, 0x152,  0,      0x17d,  0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0,      0x17e,  0x178};

struct NamedCharacters {
  std::string text;
  bool needs_semicolon = true;
};
using Names = std::unordered_map<std::string_view, NamedCharacters>;

Names read_names(std::string_view lines) {
  Names names;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    std::string_view name = line.substr(0, line.find(' '));
    line.remove_prefix(name.size());
    NamedCharacters named;
    while (!line.empty()) {
      line.remove_prefix(1);
      std::uint32_t code = 0;
      const auto end = std::from_chars(line.data(), line.data() + line.size(), code, 16).ptr;
      line.remove_prefix(static_cast<std::size_t>(end - line.data()));
      append_code_point(named.text, static_cast<char32_t>(code));
    }
    named.needs_semicolon = name.ends_with(';');
    if (named.needs_semicolon) name.remove_suffix(1);
    names.emplace(name, std::move(named));
  }
  return names;
}

const Names& character_names() {
  static const Names kNames = read_names(character_name_files().front().content);
  return kNames;
}

char32_t character_of_number(std::uint32_t number) {
  if (number >= 0x80 && number < 0xa0 && kWindowsCharacters[number - 0x80] != 0)
    return kWindowsCharacters[number - 0x80];
  const bool is_surrogate = number >= 0xd800 && number < 0xe000;
  return number == 0 || number > 0x10ffff || is_surrogate ? U'\ufffd'
                                                          : static_cast<char32_t>(number);
}

// Appends the character of an escape such as "#8364;" or "#x20ac" at the beginning of `text`, and
// returns the escape's length: 0 if there is none.
std::size_t read_number(std::string_view text, std::string& out) {
  const bool hex = text.size() > 1 && ascii_lower(text[1]) == 'x';
  std::size_t end = hex ? 2 : 1;
  const std::size_t begin = end;
  std::uint32_t number = 0;
  for (; end < text.size(); ++end) {
    const char digit = ascii_lower(text[end]);
    const bool is_digit = digit >= '0' && digit <= '9';
    if (!is_digit && !(hex && digit >= 'a' && digit <= 'f')) break;
    number = number * (hex ? 16 : 10) +
             static_cast<std::uint32_t>(is_digit ? digit - '0' : digit - 'a' + 10);
    number = std::min<std::uint32_t>(number, 0x110000);
  }
  if (end == begin) return 0;
  append_code_point(out, character_of_number(number));
  return end < text.size() && text[end] == ';' ? end + 1 : end;
}

// The same for a name: of several, the longest.
std::size_t read_name(std::string_view text, std::string& out) {
  constexpr std::size_t kLongest = 40;
  std::size_t end = 0;
  while (end < std::min(text.size(), kLongest) && is_ascii_alphanumeric(text[end])) ++end;
  const Names& names = character_names();
  if (end < text.size() && text[end] == ';') {
    if (const auto found = names.find(text.substr(0, end)); found != names.end()) {
      out += found->second.text;
      return end + 1;
    }
  }
  for (; end > 1; --end) {
    const auto found = names.find(text.substr(0, end));
    if (found == names.end() || found->second.needs_semicolon) continue;
    out += found->second.text;
    return end;
  }
  return 0;
}

}  // namespace

std::string unescaped_html(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i + 1);
    const std::size_t read = text[i] != '&'          ? 0
                             : rest.starts_with('#') ? read_number(rest, out)
                                                     : read_name(rest, out);
    if (read == 0) out += text[i];
    i += 1 + read;
  }
  return out;
}

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n' || c == '\r') {
      out += c;
    }
  }
  return out;
}

}  // namespace attend
