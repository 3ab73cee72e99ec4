#include "attend/core/options/toml_nesting.h"

#include <algorithm>

namespace attend {
namespace {

// The position after the string that begins at `at` with `mark`, " or '. A single-line string ends
// with its line at the latest.
std::size_t behind_string(std::string_view toml, std::size_t at) {
  const char mark = toml[at];
  const auto run = [&](std::size_t from) {
    return std::min(toml.find_first_not_of(mark, from), toml.size()) - from;
  };
  const bool escapes = mark == '"', many_lines = run(at) >= 3;
  for (at += many_lines ? 3 : 1; at < toml.size(); ++at) {
    if (toml[at] == '\\' && escapes) {
      ++at;
    } else if (toml[at] == mark && !many_lines) {
      return at + 1;
    } else if (toml[at] == mark && run(at) >= 3) {
      return at + std::min<std::size_t>(run(at), 5);  // up to two may belong to the text
    } else if (toml[at] == '\n' && !many_lines) {
      return at;
    }
  }
  return toml.size();
}

}  // namespace

std::int64_t line_nested_too_deep(std::string_view toml) {
  int dots = 0, brackets = 0;
  for (std::size_t at = 0; at < toml.size();) {
    const char c = toml[at];
    if (c == '"' || c == '\'') {
      at = behind_string(toml, at);
      continue;
    }
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
      continue;
    }
    if (c == '.') ++dots;
    if (c == '[' || c == '{') ++brackets;
    if (c == ']' || c == '}') --brackets;
    if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) dots = 0;
    if (dots >= kMostKeyParts || brackets > kMostBrackets)
      return 1 + std::count(toml.begin(), toml.begin() + at, '\n');
    ++at;
  }
  return 0;
}

}  // namespace attend
