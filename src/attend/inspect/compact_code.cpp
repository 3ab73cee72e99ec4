#include "attend/inspect/compact_code.h"

#include <algorithm>
#include <vector>

namespace attend {
namespace {

bool is_waste(std::string_view line) {  // a comment, or nothing
  return line == "\n" || line.starts_with("//") ||
         (line.starts_with("/*") && line.ends_with("*/\n"));
}

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

// Behind a string or a regular expression that begins here.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  bool in_class = false;  // [/] of a regular expression does not end it
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (quote == '/' && is_one_of(text[i], "[]")) {
      in_class = text[i] == '[';
    } else if (text[i] == quote && !in_class) {
      return i + 1;
    }
  }
  return text.size();
}

// Whether a slash behind this code begins a regular expression: what divides is behind a value.
bool expects_value(std::string_view code) {
  const std::size_t last = code.find_last_not_of(' ');
  return last == std::string_view::npos || is_one_of(code[last], "(,=:[!&|?{};\n");
}

}  // namespace

std::string compact_lines(std::string_view file) {
  std::string code;
  while (!file.empty()) {
    const std::string_view line = file.substr(0, std::min(file.find('\n'), file.size() - 1) + 1);
    const std::string_view text = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (!is_waste(text)) code += text;
    file.remove_prefix(line.size());
  }
  return code;
}

std::string compact_styles(std::string_view file) {
  std::string code;
  for (const char c : compact_lines(file)) {
    const char last = code.empty() ? '\n' : code.back();
    if ((c == '\n' && is_one_of(last, "{};,")) || (c == ' ' && last == ':')) continue;
    if (c == '{' && last == ' ') code.pop_back();
    code += c;
  }
  return code + '\n';
}

std::string compact_script(std::string_view file) {
  constexpr std::string_view punctuation = "=,:;{}()[]?<>&|\n";
  const std::string text = compact_lines(file);
  std::string code;
  bool in_template = false;
  std::vector<int> braces = {0};  // that are open: outside, and in each expression of a template
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = std::string_view(text).substr(i);
    const char c = rest.front();
    if (in_template) {
      const std::size_t taken = c == '\\' || rest.starts_with("${") ? 2 : 1;
      if (rest.starts_with("${")) braces.push_back(0);
      in_template = c != '`' && !rest.starts_with("${");
      code += rest.substr(0, taken);
      i += taken - 1;
    } else if (rest.starts_with("//")) {
      i += std::min(rest.find('\n'), rest.size()) - 1;
      while (code.ends_with(' ')) code.pop_back();
    } else if (is_one_of(c, "\"'") || (c == '/' && expects_value(code))) {
      const std::size_t end = end_of_literal(text, i);
      code += std::string_view(text).substr(i, end - i);
      i = end - 1;
    } else if (c != ' ' || code.empty() ||
               !(is_one_of(code.back(), punctuation) ||
                 (rest.size() > 1 && is_one_of(rest[1], punctuation)))) {
      if (c == '{') ++braces.back();
      if (c == '}' && --braces.back() < 0) {
        braces.pop_back();
        in_template = true;
      }
      in_template = in_template || c == '`';
      code += c;
    }
  }
  return code;
}

}  // namespace attend
