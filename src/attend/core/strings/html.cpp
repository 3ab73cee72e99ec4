#include "attend/core/strings/html.h"

namespace attend {

namespace {

std::string_view reference_to(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

}  // namespace

std::string escaped_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const std::string_view reference = reference_to(c);
    reference.empty() ? out += c : out += reference;
  }
  return out;
}

}  // namespace attend
