#include "attend/documents/messages/po_strings.h"

#include <fmt/format.h>

#include <vector>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

constexpr std::string_view kControls = "\a\b\f\n\r\t\v\"\\", kControlLetters = "abfnrtv\"\\";

// The value of a digit; 16 for other characters.
unsigned digit_of(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef0123456789ABCDEF";
  const std::size_t found = kDigits.find(c);
  return found == kDigits.npos || c == '\0' ? 16 : static_cast<unsigned>(found % 16);
}

// A number after a backslash: up to three octal digits, or x and hexadecimal ones. Returns its
// length; 0 if there is none.
std::size_t read_code(std::string_view text, std::string& out) {
  const bool is_hex = text.starts_with('x');
  const unsigned base = is_hex ? 16 : 8;
  const std::size_t begin = is_hex ? 1 : 0, most = begin + (is_hex ? 2 : 3);
  std::size_t end = begin;
  unsigned value = 0;
  for (; end < std::min(most, text.size()) && digit_of(text[end]) < base; ++end)
    value = value * base + digit_of(text[end]);
  if (end == begin) return 0;
  out += static_cast<char>(value & 0xff);
  return end;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::size_t which = kControls.find(c);
    if (which != kControls.npos) {
      out += '\\';
      out += kControlLetters[which];
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

// Letters of East Asia take two columns.
std::size_t columns_of(char32_t c) {
  const bool is_wide = (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
                       (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
                       (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
                       (c >= 0x1f300 && c < 0x1f650) || (c >= 0x20000 && c < 0x40000);
  return is_wide ? 2 : 1;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) columns += columns_of(next_code_point(text, at));
  return columns;
}

// Parts of at most so many columns, if they have spaces or wide letters to end after.
void add_wrapped(std::string_view line, std::size_t width, std::vector<std::string_view>& parts) {
  std::size_t begin = 0, cut = 0, used = 0, used_at_cut = 0;
  for (std::size_t at = 0; at < line.size();) {
    const char32_t c = next_code_point(line, at);
    const std::size_t columns = columns_of(c);
    used += columns;
    if (used > width && cut > begin) {
      parts.push_back(line.substr(begin, cut - begin));
      begin = cut;
      used -= used_at_cut;
    }
    if ((c == U' ' && at < line.size() && line[at] != ' ') || columns == 2) {
      cut = at;
      used_at_cut = used;
    }
  }
  parts.push_back(line.substr(begin));
}

}  // namespace

std::optional<std::size_t> read_po_string(std::string_view quoted, std::string& text) {
  for (std::size_t at = 1; at < quoted.size(); ++at) {
    if (quoted[at] == '"') return at + 1;
    if (quoted[at] == '\n') return std::nullopt;
    if (quoted[at] != '\\') {
      text += quoted[at];
      continue;
    }
    const std::string_view rest = quoted.substr(at + 1);
    const std::size_t which = rest.empty() ? rest.npos : kControlLetters.find(rest.front());
    if (which != kControlLetters.npos) {
      text += kControls[which];
      ++at;
    } else if (const std::size_t length = read_code(rest, text); length > 0) {
      at += length;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::string written_po_string(std::string_view keyword, std::string_view text,
                              const PoLayout& layout) {
  const std::size_t first_break = text.find('\n');
  const bool is_one_line = first_break >= text.size() - 1 || text.empty();
  const std::string line = fmt::format("{} \"{}\"", keyword, escaped(text));
  if (is_one_line && (layout.width == 0 || columns_of(line) <= layout.width)) return line;

  std::string out = fmt::format("{} \"\"", keyword);
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string own = escaped(text.substr(0, length));
    text.remove_prefix(length);
    std::vector<std::string_view> parts{own};
    constexpr std::size_t kQuotes = 2;
    if (layout.width > 0) {
      parts.clear();
      add_wrapped(own, layout.width - kQuotes, parts);
    }
    for (const std::string_view part : parts) out += fmt::format("{}\"{}\"", layout.line_end, part);
  }
  return out;
}

}  // namespace attend
