#include <algorithm>
#include <charconv>

#include "attend/text/chat_template/parsing/parser.h"

namespace attend::chat_template {
namespace {

std::string without_underscores(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

}  // namespace

Expression constant_expression(TokenReader& reader, Value value) {
  Expression result = {Expression::Type::constant, reader.line()};
  result.value = std::move(value);
  return result;
}

Expression refused_expression(TokenReader& reader, std::string what) {
  Expression result = {Expression::Type::refused, reader.line()};
  result.text = std::move(what);
  return result;
}

Expression read_number(TokenReader& reader) {
  const bool is_real = reader.is(TokenType::real);
  const std::string text = without_underscores(reader.next().text);
  if (is_real) {
    double number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_zero =  // what is too small
        parsed.ec == std::errc::result_out_of_range && text.find('-') != text.npos;
    if (parsed.ec == std::errc() || is_zero)
      return constant_expression(reader, Value::real(number));
    return refused_expression(reader, "an infinite number");
  }
  const char kind = text.size() > 1 ? text[1] : '0';
  const int base = kind == 'x' || kind == 'X'   ? 16
                   : kind == 'o' || kind == 'O' ? 8
                   : kind == 'b' || kind == 'B' ? 2
                                                : 10;
  std::int64_t whole = 0;
  const char* begin = text.data() + (base == 10 ? 0 : 2);
  const auto parsed = std::from_chars(begin, text.data() + text.size(), whole, base);
  if (parsed.ec != std::errc()) return refused_expression(reader, "a whole number beyond 64 bits");
  return constant_expression(reader, Value::integer(whole));
}

Expression read_strings(TokenReader& reader) {
  std::string text, refusal;
  while (reader.is(TokenType::string)) {
    Token token = reader.next();
    text += token.text;
    if (!token.refusal.empty()) refusal = token.refusal;
  }
  if (!refusal.empty()) return refused_expression(reader, refusal);
  return constant_expression(reader, Value::text(std::move(text)));
}

}  // namespace attend::chat_template
