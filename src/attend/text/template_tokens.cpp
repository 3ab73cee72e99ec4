#include "attend/text/template_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

constexpr std::array<std::string_view, 6> kLongSymbols{"==", "!=", "<=", ">=", "//", "**"};
constexpr std::string_view kSymbols = "()[]{}.,:|=<>+-*/%~";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<TemplateToken> tokens() {
    while (at_ < source_.size()) read_text();
    tokens_.push_back({TemplateTokenType::end, "", line_});
    return std::move(tokens_);
  }

 private:
  // Up to the next mark, and what is within the mark.
  void read_text() {
    std::size_t open = at_;
    while (open < source_.size() && !is_mark(open)) ++open;
    std::string text(source_.substr(at_, open - at_));
    const char kind = open < source_.size() ? source_[open + 1] : ' ';
    const char control = open + 2 < source_.size() ? source_[open + 2] : ' ';
    if (strip_next_) text.erase(0, text.find_first_not_of(" \t\r\n"));
    if (control == '-') {
      text.erase(text.find_last_not_of(" \t\r\n") + 1);
    } else if ((kind == '%' || kind == '#') && control != '+') {
      strip_line(text);
    }
    if (!text.empty()) tokens_.push_back({TemplateTokenType::text, std::move(text), line_});
    advance(open - at_);
    if (at_ == source_.size()) return;
    advance(control == '-' || control == '+' ? 3 : 2);
    kind == '#' ? read_comment() : read_inside(kind == '{' ? "}}" : "%}");
  }

  bool is_mark(std::size_t at) const {
    return source_[at] == '{' && at + 1 < source_.size() &&
           (source_[at + 1] == '{' || source_[at + 1] == '%' || source_[at + 1] == '#');
  }

  // White space after the last line break of a text; all of one that begins a line.
  void strip_line(std::string& text) const {
    const std::size_t end = text.find_last_not_of(" \t") + 1;
    if (end > 0 ? text[end - 1] == '\n' : begins_line_) text.erase(end);
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", at_);
    if (end == source_.npos) refuse_template(line_, "a comment without end");
    const bool strips = source_[end - 1] == '-';
    advance(end + 2 - at_);
    end_mark(strips, true);
  }

  // strips: "-" at the end. A block also removes the line break after it.
  void end_mark(bool strips, bool is_block) {
    strip_next_ = strips;
    begins_line_ = false;
    if (strips || !is_block || at_ >= source_.size() || source_[at_] != '\n') return;
    advance(1);
    begins_line_ = true;
  }

  void read_inside(std::string_view close) {
    const int begun = line_;
    tokens_.push_back({TemplateTokenType::symbol, close == "}}" ? "{{" : "{%", line_});
    int braces = 0;
    for (;;) {
      while (at_ < source_.size() && is_blank(source_[at_])) advance(1);
      if (at_ >= source_.size()) refuse_template(begun, fmt::format("expected {}", close));
      const std::string_view rest = source_.substr(at_);
      const bool strips = rest.starts_with('-') && rest.substr(1).starts_with(close);
      if (strips || (braces == 0 && rest.starts_with(close))) {
        tokens_.push_back({TemplateTokenType::symbol, std::string(close), line_});
        advance(strips ? 3 : 2);
        return end_mark(strips, close == "%}");
      }
      if (rest.front() == '{') ++braces;
      if (rest.front() == '}') --braces;
      read_token(rest);
    }
  }

  void read_token(std::string_view rest) {
    const char c = rest.front();
    if (c == '"' || c == '\'') return read_string(c);
    std::size_t size = 1;
    TemplateTokenType type = TemplateTokenType::symbol;
    if (is_letter(c)) {
      type = TemplateTokenType::name;
      while (size < rest.size() && (is_letter(rest[size]) || is_digit(rest[size]))) ++size;
    } else if (is_digit(c)) {
      type = TemplateTokenType::number;
      const auto continues = [&](char next) {
        return is_digit(next) ||
               (next == '.' && size + 1 < rest.size() && is_digit(rest[size + 1]));
      };
      while (size < rest.size() && continues(rest[size])) ++size;
    } else if (std::find(kLongSymbols.begin(), kLongSymbols.end(), rest.substr(0, 2)) !=
               kLongSymbols.end()) {
      size = 2;
    } else if (kSymbols.find(c) == kSymbols.npos) {
      refuse_template(line_, fmt::format("unexpected {}", quote(std::string(1, c))));
    }
    tokens_.push_back({type, std::string(rest.substr(0, size)), line_});
    advance(size);
  }

  void read_string(char mark) {
    const int begun = line_;
    std::string text;
    advance(1);
    for (; at_ < source_.size() && source_[at_] != mark; advance(1)) {
      if (source_[at_] != '\\' || at_ + 1 == source_.size()) {
        text += source_[at_];
        continue;
      }
      advance(1);
      const char c = source_[at_];
      if (c != 'n' && c != 't' && c != 'r' && c != '\\' && c != '\'' && c != '"') text += '\\';
      text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
    }
    if (at_ >= source_.size()) refuse_template(begun, "a string without end");
    advance(1);
    tokens_.push_back({TemplateTokenType::string, std::move(text), begun});
  }

  void advance(std::size_t count) {
    const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(at_);
    line_ += static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(count), '\n'));
    at_ += count;
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool strip_next_ = false, begins_line_ = true;
  std::vector<TemplateToken> tokens_;
};

}  // namespace

std::vector<TemplateToken> template_tokens(std::string_view source) {
  return Lexer(source).tokens();
}

void refuse_template(int line, std::string_view reason) {
  throw DataError(fmt::format("line {}: {}", line, reason));
}

}  // namespace attend::detail
