#include "attend/text/template_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/quote.h"

namespace attend::detail {
namespace {

using Run = TemplateRun;
using Value = TemplateValue;
using Expression = TemplateExpression;
using Reader = TemplateReader;

// What follows a value from the left: an operator and its other operand. A row of any length is no
// deeper than a short one.
using Next = std::function<Value(Run& run, const Value& left)>;

Expression row_of(const Expression& first, std::vector<Next> rest) {
  if (rest.empty()) return first;
  return [first, rest = std::move(rest)](Run& run) {
    Value value = first(run);
    for (const Next& next : rest) {
      run.count_step();
      value = next(run, value);
      run.count_value(value);
    }
    return value;
  };
}

Expression read_unary(Reader& reader) {
  const Reader::Level level(reader);
  if (!reader.accept("-")) return read_operand(reader);
  return [value = read_unary(reader)](Run& run) { return combined("-", 0, value(run)); };
}

// Operators that bind equally, from the left.
template <std::size_t count>
Expression read_row(Reader& reader, const std::array<std::string_view, count>& symbols,
                    Expression (*read_one)(Reader&)) {
  const Expression first = read_one(reader);
  std::vector<Next> rest;
  for (;;) {
    const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                     [&](std::string_view one) { return reader.is(one); });
    if (symbol == symbols.end()) return row_of(first, std::move(rest));
    reader.next();
    rest.push_back([right = read_one(reader), own = *symbol](Run& run, const Value& left) {
      return combined(own, left, right(run));
    });
  }
}

Expression read_product(Reader& reader) {
  return read_row(reader, std::array<std::string_view, 4>{"*", "/", "//", "%"}, read_unary);
}
Expression read_sum(Reader& reader) {
  return read_row(reader, std::array<std::string_view, 3>{"+", "-", "~"}, read_product);
}

Next read_test(Reader& reader) {
  const bool is_negated = reader.accept("not");
  const std::string name = reader.expect_name();
  if (!is_known_test(name)) reader.refuse(fmt::format("the test {} is not supported", quote(name)));
  return [name, is_negated, arguments = read_positions(reader)](Run& run, const Value& left) {
    return passes_test(name, left, arguments(run)) != is_negated;
  };
}

Expression read_comparison(Reader& reader) {
  constexpr std::array<std::string_view, 6> kSymbols{"==", "!=", "<", ">", "<=", ">="};
  const Expression first = read_row(reader, kSymbols, read_sum);
  std::vector<Next> rest;
  for (;;) {
    const bool is_not_in = reader.is("not") && reader.is("in", 1);
    if (is_not_in) reader.next();
    if (reader.accept("in")) {
      rest.push_back([is_not_in, right = read_sum(reader)](Run& run, const Value& left) {
        return is_true(combined("in", left, right(run))) != is_not_in;
      });
    } else if (reader.accept("is")) {
      rest.push_back(read_test(reader));
    } else {
      return row_of(first, std::move(rest));
    }
  }
}

Expression read_not(Reader& reader) {
  const Reader::Level level(reader);
  if (!reader.accept("not")) return read_comparison(reader);
  return [value = read_not(reader)](Run& run) { return !is_true(value(run)); };
}

Expression read_and(Reader& reader) {
  const Expression first = read_not(reader);
  std::vector<Next> rest;
  while (reader.accept("and"))
    rest.push_back([right = read_not(reader)](Run& run, const Value& left) {
      return is_true(left) ? right(run) : left;
    });
  return row_of(first, std::move(rest));
}

}  // namespace

TemplateExpression read_choice_free(TemplateReader& reader) {
  const Expression first = read_and(reader);
  std::vector<Next> rest;
  while (reader.accept("or"))
    rest.push_back([right = read_and(reader)](Run& run, const Value& left) {
      return is_true(left) ? left : right(run);
    });
  return row_of(first, std::move(rest));
}

TemplateExpression read_expression(TemplateReader& reader) {
  const Reader::Level level(reader);
  const Expression value = read_choice_free(reader);
  if (!reader.accept("if")) return value;
  const Expression condition = read_choice_free(reader);
  const Expression other = reader.accept("else") ? read_expression(reader) : undefined_expression();
  return [value, condition, other](Run& run) {
    return is_true(condition(run)) ? value(run) : other(run);
  };
}

}  // namespace attend::detail
