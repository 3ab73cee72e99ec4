#include "attend/text/template_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend::detail {
namespace {

using Run = TemplateRun;
using Value = TemplateValue;
using Values = TemplateValues;
using Expression = TemplateExpression;
using Reader = TemplateReader;

constexpr std::int64_t kLongestRange = 1000, kFarthest = std::int64_t{1} << 40;

struct CallArguments {
  std::vector<Expression> by_position;
  std::vector<std::pair<std::string, Expression>> by_name;

  Values values(Run& run) const {
    Values all;
    for (const Expression& one : by_position) all.push_back(one(run));
    return all;
  }
  std::map<std::string, Value, std::less<>> named(Run& run) const {
    std::map<std::string, Value, std::less<>> all;
    for (const auto& [name, one] : by_name) all[name] = one(run);
    return all;
  }
};

// After "(".
CallArguments read_arguments(Reader& reader) {
  CallArguments arguments;
  while (!reader.accept(")")) {
    if (reader.peek().type == TemplateTokenType::name && reader.is("=", 1)) {
      std::string name = reader.next().text;
      reader.next();
      arguments.by_name.emplace_back(std::move(name), read_expression(reader));
    } else {
      arguments.by_position.push_back(read_expression(reader));
    }
    if (!reader.is(")")) reader.expect(",");
  }
  return arguments;
}

// Those of filters, tests and methods: only tojson's indent is taken by its name.
std::function<Values(Run&)> read_positions(Reader& reader) {
  CallArguments arguments;
  if (reader.accept("(")) arguments = read_arguments(reader);
  return [arguments](Run& run) {
    Values values = arguments.values(run);
    for (const auto& [name, value] : arguments.named(run))
      if (name == "indent") values.insert(values.begin(), value);
    return values;
  };
}

Value range_of(const Values& values) {
  for (const Value& value : values)
    if (!value.is_number_integer()) throw DataError("range: expected whole numbers");
  if (values.empty() || values.size() > 3) throw DataError("range: expected 1 to 3 numbers");
  const std::int64_t begin = values.size() > 1 ? values[0].get<std::int64_t>() : 0,
                     end = values[values.size() > 1 ? 1 : 0].get<std::int64_t>(),
                     step = values.size() > 2 ? values[2].get<std::int64_t>() : 1;
  if (step == 0 || std::abs(step) > kLongestRange || std::abs(begin) > kFarthest ||
      std::abs(end) > kFarthest || std::abs(end - begin) > kLongestRange)
    throw DataError(fmt::format("range: expected at most {} numbers", kLongestRange));
  Value list = Value::array();
  for (std::int64_t i = begin; step > 0 ? i < end : i > end; i += step) list.push_back(i);
  return list;
}

// A function by its name, or a macro.
Expression call_of(Reader& reader, const std::string& name) {
  const CallArguments arguments = read_arguments(reader);
  if (name == "raise_exception")
    return [arguments](Run& run) -> Value {
      const Values values = arguments.values(run);
      throw DataError(values.empty() ? "" : text_of_value(values[0]));
    };
  if (name == "range") return [arguments](Run& run) { return range_of(arguments.values(run)); };
  if (name == "namespace" || name == "dict")
    return [arguments](Run& run) {
      Value object = Value::object();
      for (auto& [key, value] : arguments.named(run)) object[key] = value;
      return object;
    };
  return [arguments, name](Run& run) -> Value {
    const auto macro = run.macros.find(name);
    if (macro == run.macros.end())
      throw DataError(fmt::format("the function {} is not supported", quote(name)));
    const TemplateMacro called = macro->second;
    return called(run, arguments.values(run), arguments.named(run));
  };
}

Value number_of(Reader& reader) {
  const std::string text = reader.next().text;
  if (text.find('.') == text.npos) {
    std::int64_t whole = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (parsed.ec != std::errc()) reader.refuse("a number that is too large");
    return whole;
  }
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Expression read_list(Reader& reader, std::string_view close) {
  std::vector<Expression> items;
  while (!reader.accept(close)) {
    items.push_back(read_expression(reader));
    if (!reader.is(close)) reader.expect(",");
  }
  return [items](Run& run) {
    Value list = Value::array();
    for (const Expression& item : items) list.push_back(item(run));
    return list;
  };
}

Expression read_object(Reader& reader) {
  std::vector<std::pair<Expression, Expression>> members;
  while (!reader.accept("}")) {
    Expression key = read_expression(reader);
    reader.expect(":");
    members.emplace_back(std::move(key), read_expression(reader));
    if (!reader.is("}")) reader.expect(",");
  }
  return [members](Run& run) {
    Value object = Value::object();
    for (const auto& [key, value] : members) object[text_of_value(key(run))] = value(run);
    return object;
  };
}

Expression constant(Value value) {
  return [value = std::move(value)](Run&) { return value; };
}

// In parentheses: one value, or a list.
Expression read_parentheses(Reader& reader) {
  if (reader.is(")")) return read_list(reader, ")");
  Expression first = read_expression(reader);
  if (reader.accept(")")) return first;
  reader.expect(",");
  const Expression rest = read_list(reader, ")");
  return [first, rest](Run& run) {
    Value list = Value::array({first(run)});
    for (const Value& one : rest(run)) list.push_back(one);
    return list;
  };
}

Expression read_primary(Reader& reader) {
  if (reader.peek().type == TemplateTokenType::string) {
    std::string text = reader.next().text;
    while (reader.peek().type == TemplateTokenType::string) text += reader.next().text;
    return constant(text);
  }
  if (reader.peek().type == TemplateTokenType::number) return constant(number_of(reader));
  if (reader.accept("(")) return read_parentheses(reader);
  if (reader.accept("[")) return read_list(reader, "]");
  if (reader.accept("{")) return read_object(reader);
  const std::string name = reader.expect_name();
  if (name == "true" || name == "True") return constant(true);
  if (name == "false" || name == "False") return constant(false);
  if (name == "none" || name == "None") return constant(nullptr);
  if (reader.accept("(")) return call_of(reader, name);
  return [name](Run& run) {
    run.count_step();
    return run.find(name);
  };
}

// [index], [first:last:step]
Expression read_subscript(Reader& reader, const Expression& object) {
  std::array<Expression, 3> bounds{constant(undefined_value()), constant(undefined_value()),
                                   constant(undefined_value())};
  std::size_t parts = 0;
  for (bool is_slice = false;; is_slice = true) {
    if (!reader.is(":") && !reader.is("]")) bounds[parts] = read_expression(reader);
    ++parts;
    if (parts < 3 && reader.accept(":")) continue;
    reader.expect("]");
    if (!is_slice)
      return [object, key = bounds[0]](Run& run) { return member_of(object(run), key(run)); };
    return [object, bounds](Run& run) {
      return slice_of(object(run), {bounds[0](run), bounds[1](run), bounds[2](run)});
    };
  }
}

Expression read_member(Reader& reader, const Expression& object) {
  const std::string name = reader.expect_name();
  if (!reader.is("(")) return [object, name](Run& run) { return member_of(object(run), name); };
  if (!is_known_method(name))
    reader.refuse(fmt::format("the method {} is not supported", quote(name)));
  return [object, name, arguments = read_positions(reader)](Run& run) {
    return method_result(name, object(run), arguments(run));
  };
}

Expression read_filter(Reader& reader, const Expression& value) {
  const std::string name = reader.expect_name();
  if (!is_known_filter(name))
    reader.refuse(fmt::format("the filter {} is not supported", quote(name)));
  return [value, name, arguments = read_positions(reader)](Run& run) {
    return filtered(name, value(run), arguments(run));
  };
}

Expression read_postfix(Reader& reader) {
  Expression value = read_primary(reader);
  for (;;) {
    if (reader.accept(".")) {
      value = read_member(reader, value);
    } else if (reader.accept("[")) {
      value = read_subscript(reader, value);
    } else if (reader.accept("|")) {
      value = read_filter(reader, value);
    } else {
      return value;
    }
  }
}

Expression read_unary(Reader& reader) {
  const Reader::Level level(reader);
  if (!reader.accept("-")) return read_postfix(reader);
  return [value = read_unary(reader)](Run& run) { return combined("-", 0, value(run)); };
}

// Operators that bind equally, from the left.
template <std::size_t count>
Expression read_row(Reader& reader, const std::array<std::string_view, count>& symbols,
                    Expression (*read_operand)(Reader&)) {
  Expression left = read_operand(reader);
  for (;;) {
    const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                     [&](std::string_view one) { return reader.is(one); });
    if (symbol == symbols.end()) return left;
    reader.next();
    left = [left, right = read_operand(reader), own = *symbol](Run& run) {
      run.count_step();
      return combined(own, left(run), right(run));
    };
  }
}

Expression read_product(Reader& reader) {
  return read_row(reader, std::array<std::string_view, 4>{"*", "/", "//", "%"}, read_unary);
}
Expression read_sum(Reader& reader) {
  return read_row(reader, std::array<std::string_view, 3>{"+", "-", "~"}, read_product);
}

Expression negated(Expression value) {
  return [value = std::move(value)](Run& run) { return !is_true(value(run)); };
}

Expression read_test(Reader& reader, const Expression& value) {
  const bool is_negated = reader.accept("not");
  const std::string name = reader.expect_name();
  if (!is_known_test(name)) reader.refuse(fmt::format("the test {} is not supported", quote(name)));
  Expression test = [value, name, arguments = read_positions(reader)](Run& run) {
    return passes_test(name, value(run), arguments(run));
  };
  return is_negated ? negated(test) : test;
}

Expression read_comparison(Reader& reader) {
  constexpr std::array<std::string_view, 6> kSymbols{"==", "!=", "<", ">", "<=", ">="};
  Expression left = read_row(reader, kSymbols, read_sum);
  for (;;) {
    const bool is_not_in = reader.is("not") && reader.is("in", 1);
    if (is_not_in) reader.next();
    if (reader.accept("in")) {
      left = [left, right = read_sum(reader)](Run& run) {
        return combined("in", left(run), right(run));
      };
      if (is_not_in) left = negated(left);
    } else if (reader.accept("is")) {
      left = read_test(reader, left);
    } else {
      return left;
    }
  }
}

Expression read_not(Reader& reader) {
  const Reader::Level level(reader);
  return reader.accept("not") ? negated(read_not(reader)) : read_comparison(reader);
}

Expression read_and(Reader& reader) {
  Expression left = read_not(reader);
  while (reader.accept("and"))
    left = [left, right = read_not(reader)](Run& run) {
      const Value value = left(run);
      return is_true(value) ? right(run) : value;
    };
  return left;
}

}  // namespace

TemplateExpression read_choice_free(TemplateReader& reader) {
  Expression left = read_and(reader);
  while (reader.accept("or"))
    left = [left, right = read_and(reader)](Run& run) {
      const Value value = left(run);
      return is_true(value) ? value : right(run);
    };
  return left;
}

TemplateExpression read_expression(TemplateReader& reader) {
  const Reader::Level level(reader);
  const Expression value = read_choice_free(reader);
  if (!reader.accept("if")) return value;
  const Expression condition = read_choice_free(reader);
  const Expression other =
      reader.accept("else") ? read_expression(reader) : constant(undefined_value());
  return [value, condition, other](Run& run) {
    return is_true(condition(run)) ? value(run) : other(run);
  };
}

}  // namespace attend::detail
