#include "attend/documents/markdown/writing.h"

#include <algorithm>

#include "attend/core/strings/ascii.h"
#include "attend/documents/markdown/line_starts.h"
#include "attend/documents/markdown/syntax.h"

namespace attend::markdown {
namespace {

bool is_of_word(char c) { return is_ascii_alphanumeric(c) || static_cast<unsigned char>(c) > 0x7f; }

// Whether the character at `at` could be markup.
bool needs_escape(std::string_view text, std::size_t at) {
  const char c = text[at];
  const char before = at > 0 ? text[at - 1] : '\0';
  const char after = at + 1 < text.size() ? text[at + 1] : '\0';
  if (c == '`' || c == '[' || c == ']') return true;
  if (c == '\\') return after == '\0' || is_ascii_punctuation(after);
  if (c == '*') return before != ' ' || after != ' ';
  if (c == '_') return !is_of_word(before) || !is_of_word(after);
  if (c == '~') return std::count(text.begin(), text.end(), '~') > 1;
  if (c == '<')
    return after == '\0' || after == '/' || after == '!' || after == '?' || is_ascii_letter(after);
  return c == '&' && end_of_entity(text, at) != npos;
}

std::string escaped_text(std::string_view text, bool in_table) {
  const std::string line = plain(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (needs_escape(line, i) || (in_table && line[i] == '|')) out += '\\';
    out += line[i];
  }
  return out;
}

}  // namespace

std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n' || c == '\r') {
      out += ' ';
    } else if (c < '\1' || c > '\3') {
      out += c;
    }
  }
  return out;
}

std::string escaped(std::string_view text) { return escaped_text(text, false); }
std::string escaped_in_table(std::string_view text) { return escaped_text(text, true); }

std::string fully_escaped(std::string_view text) {
  std::string out;
  for (const char c : plain(text)) {
    if (is_ascii_punctuation(c)) out += '\\';
    out += c;
  }
  return out;
}

std::string escaped_at_start(std::string_view line) {
  std::string out(line);
  const std::size_t marker = list_marker(line).size;
  if (marker > 1) {
    out.insert(marker - 1, "\\");
  } else if (marker == 1 || line.starts_with('>') || heading_marker(line) > 0 ||
             is_underline(line) || is_thematic_break(line) || code_fence(line) > 0 ||
             table_columns(line) > 0) {
    out.insert(0, "\\");
  }
  return out;
}

}  // namespace attend::markdown
