#include "attend/core/strings/quote.h"

#include <fmt/format.h>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// C0 and C1 controls, zero-width and direction marks, line and paragraph separators, the byte order
// mark.
bool is_unsafe(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

std::string escaped(char32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return c < 0x100 ? fmt::format("\\x{:02x}", static_cast<unsigned>(c))
                       : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  constexpr char32_t kReplacement = 0xfffd;
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (at > most) return shown + "...";
    const std::string_view bytes = text.substr(begin, at - begin);
    if (c == kReplacement && bytes.size() == 1) {  // an invalid byte
      shown += escaped(static_cast<unsigned char>(bytes.front()));
    } else if (is_unsafe(c)) {
      shown += escaped(c);
    } else {
      shown += bytes;
    }
  }
  return shown;
}

std::string quote(std::string_view text, std::size_t most) {
  return fmt::format("'{}'", printable(text, most));
}

}  // namespace attend
