#include "attend/documents/markdown/syntax.h"

#include <algorithm>
#include <array>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/unicode.h"
#include "attend/documents/markup/html_characters.h"

namespace attend::markdown {
namespace {

bool is_blank_character(char c) { return c == ' ' || c == '\t'; }
bool is_space(char c) { return is_blank_character(c) || c == '\n' || c == '\r' || c == '\f'; }
bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }
bool is_escape(std::string_view text, std::size_t at) {
  return text[at] == '\\' && at + 1 < text.size() && is_ascii_punctuation(text[at + 1]);
}

char at_or_end(std::string_view text, std::size_t at) { return at < text.size() ? text[at] : '\0'; }

// Behind the first `end` from `at` on.
std::size_t behind(std::string_view text, std::string_view end, std::size_t at) {
  const std::size_t found = text.find(end, at);
  return found == npos ? npos : found + end.size();
}

std::size_t remembered(std::string_view text, std::string_view end, std::size_t at, bool& missing) {
  if (missing) return npos;
  const std::size_t found = behind(text, end, at);
  missing = found == npos;
  return found;
}

std::size_t end_of_attribute(std::string_view text, std::size_t at) {
  const char first = at_or_end(text, at);
  if (!is_ascii_letter(first) && first != '_' && first != ':') return npos;
  while (at < text.size() && (is_ascii_alphanumeric(text[at]) || text[at] == '_' ||
                              text[at] == '.' || text[at] == ':' || text[at] == '-'))
    ++at;
  std::size_t value = skip_space(text, at);
  if (at_or_end(text, value) != '=') return at;
  value = skip_space(text, value + 1);
  const char quote = at_or_end(text, value);
  if (quote == '"' || quote == '\'') return behind(text, {&quote, 1}, value + 1);
  const std::size_t begin = value;
  while (value < text.size() && !is_space(text[value]) &&
         std::string_view("\"'=<>`").find(text[value]) == npos)
    ++value;
  return value > begin ? value : npos;
}

}  // namespace

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::size_t skip_blanks(std::string_view text, std::size_t at) {
  while (at < text.size() && is_blank_character(text[at])) ++at;
  return at;
}

std::size_t end_of_destination(std::string_view text, std::size_t at) {
  if (at_or_end(text, at) == '<') {
    for (++at; at < text.size() && text[at] != '\n' && text[at] != '<'; ++at) {
      if (text[at] == '>') return at + 1;
      if (is_escape(text, at)) ++at;
    }
    return npos;
  }
  constexpr int kDeepest = 32;
  int open = 0;
  for (; at < text.size() && text[at] != ' ' && !is_control(text[at]); ++at) {
    if (is_escape(text, at)) {
      ++at;
    } else if (text[at] == '(') {
      if (++open > kDeepest) return npos;
    } else if (text[at] == ')') {
      if (open == 0) break;
      --open;
    }
  }
  return open == 0 ? at : npos;
}

std::size_t end_of_title(std::string_view text, std::size_t at) {
  const char quote = at_or_end(text, at);
  if (quote != '"' && quote != '\'' && quote != '(') return npos;
  const char end = quote == '(' ? ')' : quote;
  for (++at; at < text.size(); ++at) {
    if (text[at] == end) return at + 1;
    if (text[at] == '(' && quote == '(') return npos;
    if (is_escape(text, at)) ++at;
  }
  return npos;
}

std::size_t end_of_label(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 1001;
  if (at_or_end(text, at) != '[') return npos;
  const std::size_t begin = at, last = std::min(text.size(), at + kLongest);
  bool has_text = false;
  for (++at; at < last; ++at) {
    if (text[at] == ']') return has_text && at > begin ? at + 1 : npos;
    if (text[at] == '[') return npos;
    has_text = has_text || !is_space(text[at]);
    if (is_escape(text, at)) ++at;
  }
  return npos;
}

std::size_t end_of_link_target(std::string_view text, std::size_t at) {
  if (at_or_end(text, at) != '(') return npos;
  at = end_of_destination(text, skip_space(text, at + 1));
  if (at == npos) return npos;
  const std::size_t title = skip_space(text, at);
  if (title > at && title < text.size() && text[title] != ')') {
    at = end_of_title(text, title);
    if (at == npos) return npos;
  }
  at = skip_space(text, at);
  return at_or_end(text, at) == ')' ? at + 1 : npos;
}

std::size_t end_of_definition(std::string_view text, std::size_t at) {
  const auto end_of_line = [&](std::size_t from) {
    from = skip_blanks(text, from);
    if (from == text.size()) return from;
    return text[from] == '\n' ? from + 1 : npos;
  };
  at = end_of_label(text, at);
  if (at == npos || at_or_end(text, at) != ':') return npos;
  const std::size_t begin = skip_space(text, at + 1), end = end_of_destination(text, begin);
  if (end == npos || end == begin) return npos;
  const std::size_t title = skip_space(text, end);
  if (title > end) {
    const std::size_t behind_title = end_of_title(text, title);
    if (behind_title != npos && end_of_line(behind_title) != npos) return end_of_line(behind_title);
  }
  return end_of_line(end);
}

std::string normalized_label(std::string_view label) {
  std::string out;
  for (const std::string_view word : unicode::split(label.substr(1, label.size() - 2))) {
    if (!out.empty()) out += ' ';
    out += word;
  }
  return unicode::folded_case(out);
}

std::size_t end_of_entity(std::string_view text, std::size_t at) {
  constexpr std::size_t kLongest = 40;
  std::size_t end = at + 1;
  const bool number = at_or_end(text, end) == '#';
  const bool hex = number && ascii_lower(at_or_end(text, end + 1)) == 'x';
  const std::size_t begin = end + (number ? 1 : 0) + (hex ? 1 : 0);
  const auto belongs = [&](char c) {
    if (!number) return is_ascii_alphanumeric(c);
    return is_ascii_digit(c) || (hex && ascii_lower(c) >= 'a' && ascii_lower(c) <= 'f');
  };
  for (end = begin; end < text.size() && end - begin < kLongest && belongs(text[end]);) ++end;
  const std::size_t most = !number ? kLongest : hex ? 6 : 7;
  if (end == begin || end - begin > most || at_or_end(text, end) != ';') return npos;
  const std::string escape(text.substr(at, end + 1 - at));
  // "&copyx;" is "&copy" and more in HTML only.
  const std::string said = unescaped_html(escape);
  return number || (said != escape && !said.ends_with(';')) || escape == "&semi;" ? end + 1 : npos;
}

std::size_t end_of_autolink(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && !is_control(text[end]) && text[end] != ' ' && text[end] != '<' &&
         text[end] != '>')
    ++end;
  if (at_or_end(text, end) != '>') return npos;
  const std::string_view inside = text.substr(at + 1, end - at - 1);
  const std::size_t colon = inside.find(':');
  const auto all = [](std::string_view part, std::string_view others) {
    return std::all_of(part.begin(), part.end(),
                       [&](char c) { return is_ascii_alphanumeric(c) || others.find(c) != npos; });
  };
  if (colon != npos && colon >= 2 && colon <= 32 && is_ascii_letter(inside[0]) &&
      all(inside.substr(0, colon), "+.-"))
    return end + 1;
  const std::size_t sign = inside.find('@');
  const bool is_mail =
      sign != npos && sign > 0 && sign + 1 < inside.size() &&
      all(inside.substr(0, sign), ".!#$%&'*+/=?^_`{|}~-") && all(inside.substr(sign + 1), ".-") &&
      is_ascii_alphanumeric(inside[sign + 1]) && is_ascii_alphanumeric(inside.back());
  return is_mail ? end + 1 : npos;
}

std::size_t end_of_bare_address(std::string_view text, std::size_t at) {
  if (at > 0 && is_ascii_alphanumeric(text[at - 1])) return npos;
  std::size_t end = npos;
  for (const std::string_view begin : {"https://", "http://", "www."})
    if (text.substr(at).starts_with(begin)) end = at + begin.size();
  if (end == npos || !is_ascii_alphanumeric(at_or_end(text, end))) return npos;
  int open = 0;
  for (; end < text.size() && !is_space(text[end]) && !is_control(text[end]) &&
         std::string_view("<>`[]*~\"|\\&").find(text[end]) == npos;
       ++end) {
    if (text[end] == '(') ++open;
    if (text[end] == ')' && --open < 0) break;
  }
  while (std::string_view("?!.,:;'_(").find(text[end - 1]) != npos) --end;
  return end;
}

std::size_t end_of_tag(std::string_view text, std::size_t at) {
  const bool closes = at_or_end(text, at + 1) == '/';
  at += closes ? 2 : 1;
  if (!is_ascii_letter(at_or_end(text, at))) return npos;
  while (at < text.size() && (is_ascii_alphanumeric(text[at]) || text[at] == '-')) ++at;
  for (std::size_t next = skip_space(text, at);
       !closes && next > at && next < text.size() && text[next] != '>' && text[next] != '/';
       next = skip_space(text, at)) {
    at = end_of_attribute(text, next);
    if (at == npos) return npos;
  }
  at = skip_space(text, at);
  if (!closes && at_or_end(text, at) == '/') ++at;
  return at_or_end(text, at) == '>' ? at + 1 : npos;
}

std::size_t end_of_html(std::string_view text, std::size_t at, Missing& missing) {
  const std::string_view rest = text.substr(at);
  if (rest.starts_with("<!-->")) return at + 5;
  if (rest.starts_with("<!--->")) return at + 6;
  if (rest.starts_with("<!--")) return remembered(text, "-->", at + 4, missing.comment);
  if (rest.starts_with("<?")) return remembered(text, "?>", at + 2, missing.instruction);
  if (rest.starts_with("<![CDATA[")) return remembered(text, "]]>", at + 9, missing.literal);
  if (rest.starts_with("<!") && is_ascii_letter(at_or_end(text, at + 2)))
    return remembered(text, ">", at + 2, missing.declaration);
  return end_of_tag(text, at);
}

}  // namespace attend::markdown
