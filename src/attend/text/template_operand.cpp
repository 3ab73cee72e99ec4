// The operands of expressions: literals, names, calls, and what follows them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/text/template_expression.h"

namespace attend::detail {
namespace {

using Run = TemplateRun;
using Value = TemplateValue;
using Values = TemplateValues;
using Expression = TemplateExpression;
using Reader = TemplateReader;

constexpr std::int64_t kLongestRange = 1000, kFarthest = std::int64_t{1} << 40;

// The members of an object are searched one by one.
void add_member(Run& run, Value& object, const std::string& name, Value value) {
  run.count_work(object.size());
  object[name] = std::move(value);
}

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
      for (auto& [key, value] : arguments.named(run)) add_member(run, object, key, value);
      run.count_value(object);
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
    run.count_value(list);
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
    for (const auto& [key, value] : members)
      add_member(run, object, text_of_value(key(run)), value(run));
    run.count_value(object);
    return object;
  };
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
    run.count_value(list);
    return list;
  };
}

bool is_truth(std::string_view name) {
  return name == "true" || name == "True" || name == "false" || name == "False";
}
bool is_literal(std::string_view name) {
  return is_truth(name) || name == "none" || name == "None";
}
Value literal(std::string_view name) {
  return is_truth(name) ? Value(name == "true" || name == "True") : Value(nullptr);
}

// Without the names of variables.
Expression read_primary(Reader& reader) {
  if (reader.peek().type == TemplateTokenType::string) {
    std::string text = reader.next().text;
    while (reader.peek().type == TemplateTokenType::string) text += reader.next().text;
    return constant_expression(text);
  }
  if (reader.peek().type == TemplateTokenType::number)
    return constant_expression(number_of(reader));
  if (reader.accept("(")) return read_parentheses(reader);
  if (reader.accept("[")) return read_list(reader, "]");
  if (reader.accept("{")) return read_object(reader);
  const std::string name = reader.expect_name();
  if (is_literal(name)) return constant_expression(literal(name));
  reader.expect("(");
  return call_of(reader, name);
}

// What follows an operand: a member, a slice, a filter or a method.
struct Link {
  std::function<Values(Run&)> arguments;
  // Without: the member that the argument names.
  std::function<Value(const Value& value, const Values& arguments)> function = {};
};

// [index], [first:last:step]
Link read_subscript(Reader& reader) {
  std::array<Expression, 3> bounds{undefined_expression(), undefined_expression(),
                                   undefined_expression()};
  std::size_t parts = 0;
  for (bool is_slice = false;; is_slice = true) {
    if (!reader.is(":") && !reader.is("]")) bounds[parts] = read_expression(reader);
    ++parts;
    if (parts < 3 && reader.accept(":")) continue;
    reader.expect("]");
    if (!is_slice) return {[key = bounds[0]](Run& run) { return Values{key(run)}; }};
    return {[bounds](Run& run) {
              return Values{bounds[0](run), bounds[1](run), bounds[2](run)};
            },
            slice_of};
  }
}

Link read_member(Reader& reader) {
  const std::string name = reader.expect_name();
  if (!reader.is("(")) return {[name](Run&) { return Values{name}; }};
  if (!is_known_method(name))
    reader.refuse(fmt::format("the method {} is not supported", quote(name)));
  return {read_positions(reader), [name](const Value& value, const Values& arguments) {
            return method_result(name, value, arguments);
          }};
}

Link read_filter(Reader& reader) {
  const std::string name = reader.expect_name();
  if (!is_known_filter(name))
    reader.refuse(fmt::format("the filter {} is not supported", quote(name)));
  return {read_positions(reader), [name](const Value& value, const Values& arguments) {
            return filtered(name, value, arguments);
          }};
}

std::vector<Link> read_links(Reader& reader) {
  std::vector<Link> links;
  for (;;) {
    if (reader.accept(".")) {
      links.push_back(read_member(reader));
    } else if (reader.accept("[")) {
      links.push_back(read_subscript(reader));
    } else if (reader.accept("|")) {
      links.push_back(read_filter(reader));
    } else {
      return links;
    }
  }
}

// The value at the end of the links. Members are looked up where they are: only the result is
// copied. The arguments have been evaluated, so nothing moves meanwhile.
Value followed(Run& run, const Value& first, const std::vector<Link>& links,
               const std::vector<Values>& arguments) {
  Value own;
  const Value* at = &first;
  for (std::size_t i = 0; i < links.size(); ++i) {
    run.count_step();
    run.count_work(at->is_string() ? at->get_ref<const std::string&>().size() : at->size());
    if (!links[i].function) {
      at = &member_of(*at, arguments[i].front());
      continue;
    }
    own = links[i].function(*at, arguments[i]);
    run.count_value(own);
    at = &own;
  }
  run.count_value(*at);
  return *at;
}

std::vector<Values> arguments_of(Run& run, const std::vector<Link>& links) {
  std::vector<Values> arguments;
  for (const Link& link : links) arguments.push_back(link.arguments(run));
  return arguments;
}

}  // namespace

TemplateExpression constant_expression(TemplateValue value) {
  return [value = std::move(value)](TemplateRun& run) {
    run.count_value(value);
    return value;
  };
}

TemplateExpression undefined_expression() {
  return [](TemplateRun&) { return undefined_value(); };
}

TemplateExpression read_operand(TemplateReader& reader) {
  const bool is_variable = reader.peek().type == TemplateTokenType::name && !reader.is("(", 1) &&
                           !is_literal(reader.peek().text);
  if (is_variable) {
    const std::string name = reader.next().text;
    return [name, links = read_links(reader)](TemplateRun& run) {
      run.count_step();
      const std::vector<Values> arguments = arguments_of(run, links);
      return followed(run, run.find(name), links, arguments);
    };
  }
  const Expression first = read_primary(reader);
  const std::vector<Link> links = read_links(reader);
  if (links.empty()) return first;
  return [first, links](TemplateRun& run) {
    const std::vector<Values> arguments = arguments_of(run, links);
    return followed(run, first(run), links, arguments);
  };
}

std::function<TemplateValues(TemplateRun&)> read_positions(TemplateReader& reader) {
  CallArguments arguments;
  if (reader.accept("(")) arguments = read_arguments(reader);
  return [arguments](TemplateRun& run) {
    TemplateValues values = arguments.values(run);
    for (const auto& [name, value] : arguments.named(run))
      if (name == "indent") values.insert(values.begin(), value);
    return values;
  };
}

}  // namespace attend::detail
