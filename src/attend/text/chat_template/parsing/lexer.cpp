#include "attend/text/chat_template/parsing/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/text/chat_template/parsing/string_literal.h"

namespace attend::chat_template {
namespace {

constexpr std::array<std::string_view, 6> kLongSymbols{"==", "!=", "<=", ">=", "//", "**"};
constexpr std::string_view kSymbols = "()[]{}.,:;|=<>+-*/%~";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char32_t code_at(std::string_view text) {
  std::size_t size = 0;
  return next_code_point(text, size);
}

std::size_t size_of_space(std::string_view text) {
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at)
    if (!unicode::is_space(next_code_point(text, at))) break;
  return end;
}

bool continues_name(char32_t c) {
  if (c < 0x80) return c == '_' || (c < 0x7b && (std::isalnum(static_cast<int>(c)) != 0));
  return unicode::is_letter(c) || unicode::is_mark(c) || unicode::is_digit(c);
}

std::size_t size_of_name(std::string_view text) {
  const char32_t first = code_at(text);
  if (!continues_name(first) || unicode::is_digit(first) || unicode::is_mark(first)) return 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size(); end = at)
    if (!continues_name(next_code_point(text, at))) break;
  return end;
}

// Digits, each or several with "_" before the next one.
std::size_t size_of_digits(std::string_view text, const auto& is_one) {
  std::size_t at = 0;
  while (at < text.size() && (is_one(text[at]) || (at > 0 && text[at] == '_' &&
                                                   at + 1 < text.size() && is_one(text[at + 1]))))
    ++at;
  return at;
}

// A number with a fraction or an exponent; 0 if there is none.
std::size_t size_of_real(std::string_view text) {
  std::size_t at = size_of_digits(text, is_digit);
  if (at == 0) return 0;
  bool is_real = false;
  if (at + 1 < text.size() && text[at] == '.' && is_digit(text[at + 1])) {
    at += 1 + size_of_digits(text.substr(at + 1), is_digit);
    is_real = true;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t digits = at + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const std::size_t size =
        digits < text.size() ? size_of_digits(text.substr(digits), is_digit) : 0;
    if (size > 0) return digits + size;
  }
  return is_real ? at : 0;
}

std::size_t size_of_integer(std::string_view text) {
  if (!is_digit(text.front())) return 0;
  if (text.front() != '0') return size_of_digits(text, is_digit);
  const char base = text.size() > 1 ? text[1] : ' ';
  const auto digits_after_base = [&](std::string_view digits) {
    std::size_t at = 2;
    for (;;) {
      const std::size_t digit = at + (at < text.size() && text[at] == '_' ? 1 : 0);
      if (digit >= text.size() || digits.find(text[digit]) == digits.npos) break;
      at = digit + 1;
    }
    return at > 2 ? at : 0;
  };
  std::size_t size = 0;
  if (base == 'x' || base == 'X') size = digits_after_base("0123456789abcdefABCDEF");
  if (base == 'o' || base == 'O') size = digits_after_base("01234567");
  if (base == 'b' || base == 'B') size = digits_after_base("01");
  return size > 0 ? size : size_of_digits(text, [](char c) { return c == '0'; });
}

// Lines that end with \n alone, without the last line break.
std::string with_plain_lines(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const bool is_pair = source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n';
    if (!is_pair) text += source[i] == '\r' ? '\n' : source[i];
  }
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : text_(with_plain_lines(source)), source_(text_) {}

  std::vector<Token> tokens() {
    while (at_ < source_.size()) read_text();
    tokens_.push_back({TokenType::end, "", line_});
    return std::move(tokens_);
  }

 private:
  std::string_view rest() const { return source_.substr(at_); }

  // Up to the next mark, and what is within the mark.
  void read_text() {
    std::size_t open = at_;
    while (open < source_.size() && !is_mark(open)) ++open;
    if (open == source_.size()) {
      add_text(std::string(rest()));
      at_ = open;
      return;
    }
    const char kind = source_[open + 1];
    const std::size_t raw = kind == '%' ? size_of_word_block(open, "raw", true) : 0;
    const char control = open + 2 < source_.size() ? source_[open + 2] : ' ';
    add_text(without_space(source_.substr(at_, open - at_), control, kind != '{'));
    advance(open - at_);
    if (raw > 0) return read_raw(raw);
    advance(control == '-' || control == '+' ? 3 : 2);
    begins_line_ = false;
    kind == '#' ? read_comment() : read_inside(kind == '{' ? "}}" : "%}");
  }

  void add_text(std::string text) {
    if (!text.empty()) tokens_.push_back({TokenType::text, std::move(text), line_});
  }

  bool is_mark(std::size_t at) const {
    return source_[at] == '{' && at + 1 < source_.size() &&
           (source_[at + 1] == '{' || source_[at + 1] == '%' || source_[at + 1] == '#');
  }

  // A text before a mark: "-" strips it; a block without "+" strips white space on its line.
  std::string without_space(std::string_view text, char control, bool is_block) const {
    if (control == '-') return std::string(unicode::strip_right(text));
    if (control == '+' || !is_block) return std::string(text);
    const std::size_t line = text.rfind('\n') + 1;  // 0 if there is none
    const bool is_blank =
        line < text.size() && size_of_space(text.substr(line)) == text.size() - line;
    return std::string(is_blank && (line > 0 || begins_line_) ? text.substr(0, line) : text);
  }

  // Returns the size of {% word %} at `at`; 0: it is not there. One that opens raw text keeps the
  // line break after it, and has no "+" at its end.
  std::size_t size_of_word_block(std::size_t at, std::string_view word, bool opens) const {
    std::size_t end = at + 2;
    const auto is = [&](std::string_view text) { return source_.substr(end).starts_with(text); };
    if (is("-") || is("+")) ++end;
    end += size_of_space(source_.substr(end));
    if (!is(word)) return 0;
    end += word.size();
    end += size_of_space(source_.substr(end));
    if (is("-%}")) {
      end += 3;
      return end + size_of_space(source_.substr(end)) - at;
    }
    if (is("%}")) return end + (!opens && source_.substr(end).starts_with("%}\n") ? 3 : 2) - at;
    return is("+%}") && !opens ? end + 3 - at : 0;
  }

  void read_raw(std::size_t opening) {
    const int begun = line_;
    advance(opening);
    begins_line_ = source_[at_ - 1] == '\n';
    for (std::size_t open = at_; (open = source_.find("{%", open)) != source_.npos; ++open) {
      const std::size_t closing = size_of_word_block(open, "endraw", false);
      if (closing == 0) continue;
      const char control = source_[open + 2];
      add_text(without_space(source_.substr(at_, open - at_), control, true));
      advance(open + closing - at_);
      begins_line_ = source_[at_ - 1] == '\n';
      return;
    }
    fail_at(begun, "a raw block without end");
  }

  void read_comment() {
    const std::size_t end = source_.find("#}", at_);
    if (end == source_.npos) fail_at(line_, "a comment without end");
    const char control = end > at_ ? source_[end - 1] : ' ';
    advance(end + 2 - at_);
    end_mark(control, true);
  }

  // control: "-" or "+" before the end. A block also removes the line break after it.
  void end_mark(char control, bool is_block) {
    begins_line_ = false;
    std::size_t size = control == '-' ? size_of_space(rest()) : 0;
    if (control != '-' && control != '+' && is_block && rest().starts_with('\n')) size = 1;
    if (size == 0) return;
    advance(size);
    begins_line_ = source_[at_ - 1] == '\n';
  }

  void read_inside(std::string_view close) {
    const int begun = line_;
    const bool is_block = close == "%}";
    tokens_.push_back({TokenType::symbol, is_block ? "{%" : "{{", line_});
    for (;;) {
      const std::size_t size = size_of_space(rest());
      const auto ends_with = [&](std::string_view control) {
        return open_.empty() && rest().starts_with(control) &&
               rest().substr(control.size()).starts_with(close);
      };
      if (ends_with("-") || ends_with("") || (is_block && ends_with("+"))) {
        const char control = rest().front();
        tokens_.push_back({TokenType::symbol, std::string(close), line_});
        advance(control == '-' || control == '+' ? 3 : 2);
        return end_mark(control, is_block);
      }
      if (size > 0) {
        advance(size);
        continue;
      }
      if (at_ >= source_.size()) fail_at(begun, fmt::format("expected {}", close));
      read_token();
    }
  }

  void read_token() {
    const std::string_view text = rest();
    const char c = text.front();
    if (c == '"' || c == '\'') return read_string(c);
    const bool follows_point = at_ > 0 && source_[at_ - 1] == '.';
    std::size_t size = follows_point ? 0 : size_of_real(text);
    if (size > 0) return add(TokenType::real, size);
    if ((size = size_of_integer(text)) > 0) return add(TokenType::integer, size);
    if ((size = size_of_name(text)) > 0) return add(TokenType::name, size);
    const bool is_long = std::find(kLongSymbols.begin(), kLongSymbols.end(), text.substr(0, 2)) !=
                         kLongSymbols.end();
    if (!is_long && kSymbols.find(c) == kSymbols.npos)
      fail_at(line_, fmt::format("unexpected {}", quote(characters_of(text.substr(0, 4)).front())));
    if (!is_long) balance(c);
    add(TokenType::symbol, is_long ? 2 : 1);
  }

  void balance(char c) {
    if (c == '(') open_ += ')';
    if (c == '[') open_ += ']';
    if (c == '{') open_ += '}';
    if (c != ')' && c != ']' && c != '}') return;
    if (open_.empty() || open_.back() != c)
      fail_at(line_, fmt::format("unexpected {}", quote(std::string(1, c))));
    open_.pop_back();
  }

  void add(TokenType type, std::size_t size) {
    tokens_.push_back({type, std::string(rest().substr(0, size)), line_});
    advance(size);
  }

  void read_string(char mark) {
    std::size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != mark) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail_at(line_, "a string without end");
    StringLiteral literal = read_string_literal(source_.substr(at_ + 1, end - at_ - 1));
    if (!literal.fault.empty()) fail_at(line_, literal.fault);
    tokens_.push_back(
        {TokenType::string, std::move(literal.text), line_, std::move(literal.refusal)});
    advance(end + 1 - at_);
  }

  void advance(std::size_t count) {
    const auto begin = source_.begin() + static_cast<std::ptrdiff_t>(at_);
    line_ += static_cast<int>(std::count(begin, begin + static_cast<std::ptrdiff_t>(count), '\n'));
    at_ += count;
  }

  const std::string text_;
  const std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool begins_line_ = true;  // whether what comes next is the first of its line
  std::string open_;         // the brackets that are to be closed
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).tokens(); }

void fail_at(int line, std::string_view reason) {
  throw DataError(fmt::format("line {}: {}", line, reason));
}

}  // namespace attend::chat_template
