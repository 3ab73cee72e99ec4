#include "attend/documents/markdown/line_starts.h"

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"
#include "attend/documents/markdown/syntax.h"

namespace attend::markdown {
namespace {

std::size_t count_of(std::string_view line, char c, std::size_t at = 0) {
  std::size_t end = at;
  while (end < line.size() && line[end] == c) ++end;
  return end - at;
}

std::string_view without_blanks_at_end(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool begins_with_blank(std::string_view text) {
  return text.empty() || text[0] == ' ' || text[0] == '\t';
}

constexpr std::string_view kHtmlBlocks =
    " address article aside base basefont blockquote body caption center col colgroup dd details "
    "dialog dir div dl dt fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 "
    "head header hr html iframe legend li link main menu menuitem nav noframes ol optgroup option "
    "p param search section summary table tbody td tfoot th thead title tr track ul ";

}  // namespace

std::size_t heading_marker(std::string_view line) {
  const std::size_t level = count_of(line, '#');
  if (level == 0 || level > 6 || !begins_with_blank(line.substr(level))) return 0;
  return skip_blanks(line, level);
}

std::string_view heading_text(std::string_view text) {
  text = without_blanks_at_end(text);
  std::string_view shorter = text;
  while (shorter.ends_with('#')) shorter.remove_suffix(1);
  if (shorter.empty()) return shorter;
  return shorter.size() < text.size() && (shorter.back() == ' ' || shorter.back() == '\t')
             ? without_blanks_at_end(shorter)
             : text;
}

bool is_underline(std::string_view line) {
  line = without_blanks_at_end(line);
  return !line.empty() && (line[0] == '=' || line[0] == '-') &&
         count_of(line, line[0]) == line.size();
}

bool is_thematic_break(std::string_view line) {
  if (line.empty() || (line[0] != '*' && line[0] != '-' && line[0] != '_')) return false;
  std::size_t count = 0;
  for (const char c : line) {
    if (c == line[0]) {
      ++count;
    } else if (c != ' ' && c != '\t') {
      return false;
    }
  }
  return count >= 3;
}

std::size_t code_fence(std::string_view line) {
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
  const std::size_t count = count_of(line, line[0]);
  if (count < 3 || (line[0] == '`' && line.find('`', count) != npos)) return 0;
  return count;
}

std::size_t table_columns(std::string_view line) {
  line = without_blanks_at_end(line);
  if (line.find_first_of("|:") == npos) return 0;
  std::size_t at = line.starts_with('|') ? 1 : 0, columns = 0;
  while (at < line.size()) {
    at = skip_blanks(line, at);
    at += count_of(line, ':', at) == 1 ? 1 : 0;
    const std::size_t dashes = count_of(line, '-', at);
    if (dashes == 0) return 0;
    at += dashes;
    at += count_of(line, ':', at) == 1 ? 1 : 0;
    at = skip_blanks(line, at);
    if (at < line.size() && line[at++] != '|') return 0;
    ++columns;
  }
  return columns;
}

ListMarker list_marker(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && end < 10 && is_ascii_digit(line[end])) ++end;
  const std::size_t digits = end;
  if (digits > 9 || end == line.size()) return {};
  const char c = line[end];
  const bool is_marker = digits > 0 ? c == '.' || c == ')' : c == '-' || c == '+' || c == '*';
  if (!is_marker || !begins_with_blank(line.substr(end + 1))) return {};
  return {end + 1, digits == 0 || whole_number(line.substr(0, digits)) == 1};
}

int html_block(std::string_view line) {
  if (line.size() < 2 || line[0] != '<') return 0;
  const std::string lower = ascii_lower(line.substr(0, 20));
  for (const std::string_view name : {"script", "pre", "style", "textarea"})
    if (lower.substr(1).starts_with(name) &&
        (line.size() == name.size() + 1 || line[name.size() + 1] == '>' ||
         begins_with_blank(line.substr(name.size() + 1))))
      return 1;
  if (line.starts_with("<!--")) return 2;
  if (line.starts_with("<?")) return 3;
  if (line.starts_with("<![CDATA[")) return 5;
  if (line.starts_with("<!") && line.size() > 2 && is_ascii_letter(line[2])) return 4;
  const std::size_t begin = line[1] == '/' ? 2 : 1;
  std::size_t end = begin;
  while (end < line.size() && end < 20 && is_ascii_alphanumeric(line[end])) ++end;
  const std::string name = " " + ascii_lower(line.substr(begin, end - begin)) + " ";
  const std::string_view rest = line.substr(end);
  if (end > begin && kHtmlBlocks.find(name) != npos &&
      (begins_with_blank(rest) || rest.starts_with('>') || rest.starts_with("/>")))
    return 6;
  const std::size_t tag = end_of_tag(line, 0);
  return tag != npos && skip_blanks(line, tag) == line.size() ? 7 : 0;
}

bool ends_html_block(std::string_view line, int kind) {
  constexpr std::array<std::string_view, 4> kEnds{"-->", "?>", ">", "]]>"};
  if (kind > 5) return false;
  if (kind > 1) return line.find(kEnds[static_cast<std::size_t>(kind - 2)]) != npos;
  const std::string lower = ascii_lower(line);
  for (const std::string_view end : {"</script>", "</pre>", "</style>", "</textarea>"})
    if (lower.find(end) != npos) return true;
  return false;
}

std::size_t footnote_marker(std::string_view line) {
  if (!line.starts_with("[^")) return 0;
  const std::size_t end = end_of_label(line, 0);
  if (end == npos || end < 4 || end >= line.size() || line[end] != ':') return 0;
  return line.substr(0, end).find_first_of(" \t") == npos ? end + 1 : 0;
}

}  // namespace attend::markdown
