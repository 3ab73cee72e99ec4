#include "attend/text/chat_template/parsing/string_literal.h"

#include <fmt/format.h>

#include "attend/core/strings/utf8.h"

namespace attend::chat_template {
namespace {

constexpr std::string_view kSimple = "abfnrtv\\'\"";
constexpr std::string_view kSimpleValues = "\a\b\f\n\r\t\v\\'\"";

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

class LiteralReader {
 public:
  explicit LiteralReader(std::string_view content) : content_(content) {}

  StringLiteral read() {
    while (at_ < content_.size() && literal_.fault.empty()) {
      if (content_[at_] != '\\')
        literal_.text += content_[at_++];
      else
        read_escape();
    }
    return std::move(literal_);
  }

 private:
  void read_escape() {
    const std::size_t begin = at_++;
    const std::size_t simple = kSimple.find(content_[at_]);
    if (simple != kSimple.npos) {
      literal_.text += kSimpleValues[simple];
      ++at_;
      return;
    }
    switch (content_[at_]) {
      case '\n':
        ++at_;
        return;
      case 'x':
        return read_code(2);
      case 'u':
        return read_code(4);
      case 'U':
        return read_code(8);
      case 'N':
        literal_.refusal = "a character by its name (\\N)";
        ++at_;
        return;
      default:
        break;
    }
    if (digit_of(content_[at_]) < 8) return read_octal();
    literal_.text += content_[begin];
    // A character beyond ASCII is an escape itself by now, which loses its backslash.
    if (static_cast<unsigned char>(content_[at_]) >= 0x80) {
      const char32_t code = next_code_point(content_, at_);
      const auto number = static_cast<unsigned>(code);
      literal_.text += code < 0x100     ? fmt::format("x{:02x}", number)
                       : code < 0x10000 ? fmt::format("u{:04x}", number)
                                        : fmt::format("U{:08x}", number);
    }
  }

  void read_code(int digits) {
    char32_t code = 0;
    for (int i = 0; i < digits; ++i) {
      ++at_;
      const int digit = at_ < content_.size() ? digit_of(content_[at_]) : 16;
      if (digit == 16) {
        literal_.fault = fmt::format("an escape in a string: expected {} digits", digits);
        return;
      }
      code = code * 16 + static_cast<char32_t>(digit);
    }
    ++at_;
    if (code > 0x10ffff) literal_.fault = "an escape in a string: no such character";
    add(code);
  }

  void read_octal() {
    char32_t code = 0;
    for (int i = 0; i < 3 && at_ < content_.size() && digit_of(content_[at_]) < 8; ++i)
      code = code * 8 + static_cast<char32_t>(digit_of(content_[at_++]));
    add(code);
  }

  void add(char32_t code) {
    if (code >= 0xd800 && code < 0xe000) literal_.refusal = "half of a character (a surrogate)";
    append_code_point(literal_.text, code);
  }

  std::string_view content_;
  std::size_t at_ = 0;
  StringLiteral literal_;
};

}  // namespace

StringLiteral read_string_literal(std::string_view content) {
  return LiteralReader(content).read();
}

}  // namespace attend::chat_template
