#include "attend/text/chat_template/evaluation.h"

#include <fmt/format.h>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

Given given_of(Run& run, const Arguments& arguments) {
  Given given;
  for (const Expression& one : arguments.by_position)
    given.by_position.push_back(evaluate(run, one));
  for (const auto& [name, one] : arguments.by_name)
    given.by_name.emplace_back(name, evaluate(run, one));
  for (const Expression& one : arguments.rows)
    for (Value& item : items_of(run, evaluate(run, one)))
      given.by_position.push_back(std::move(item));
  for (const Expression& one : arguments.dicts) {
    const Value named = evaluate(run, one);
    if (named.is_undefined()) fail(named.reason());
    if (!named.is(Kind::dict))
      fail(fmt::format("**: expected an object, got {}", kind_name(named)));
    for (const auto& [name, value] : named.members()) {
      if (!name.is_text()) fail("**: expected names that are strings");
      for (const auto& other : given.by_name)
        if (other.first == name.bytes()) fail(fmt::format("{} is given twice", quote(other.first)));
      given.by_name.emplace_back(name.bytes(), value);
    }
  }
  return given;
}

Value linked(Run& run, const Value& value, const Link& link, const Value& caller) {
  switch (link.type) {
    case Link::Type::member:
      return attribute_of(run, value, link.name);
    case Link::Type::item:
      return item_of(run, value, evaluate(run, link.arguments.by_position[0]));
    case Link::Type::slice: {
      Values bounds;
      for (const Expression& bound : link.arguments.by_position)
        bounds.push_back(evaluate(run, bound));
      return slice_of(run, value, bounds);
    }
    case Link::Type::filter:
      return filtered(run, link.name, value, given_of(run, link.arguments));
    case Link::Type::test:
      return Value::boolean(passes_test(run, link.name, value, given_of(run, link.arguments)) !=
                            link.is_negated);
    default:
      break;
  }
  Given given = given_of(run, link.arguments);
  if (!caller.is_missing()) {
    for (const auto& one : given.by_name)
      if (one.first == "caller") fail("the caller is given twice");
    given.by_name.emplace_back("caller", caller);
  }
  return called(run, value, given);
}

Value evaluate_dict(Run& run, const Expression& expression) {
  Items items;
  for (std::size_t i = 0; i + 1 < expression.children.size(); i += 2) {
    Value key = evaluate(run, expression.children[i]);
    put(run, items, std::move(key), evaluate(run, expression.children[i + 1]));
  }
  return run.dict(std::move(items));
}

// The first that decides, or the last.
Value evaluate_row(Run& run, const Expression& expression, bool decides) {
  Value value;
  for (const Expression& child : expression.children) {
    value = evaluate(run, child);
    if (&child != &expression.children.back() && is_true(run, value) == decides) break;
  }
  return value;
}

Value evaluate_comparison(Run& run, const Expression& expression) {
  Value left = evaluate(run, expression.children[0]);
  for (std::size_t i = 0; i < expression.operators.size(); ++i) {
    Value right = evaluate(run, expression.children[i + 1]);
    if (!compared(run, expression.operators[i], left, right)) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Value evaluate_operations(Run& run, const Expression& expression) {
  Value value = evaluate(run, expression.children[0]);
  for (std::size_t i = 0; i < expression.operators.size(); ++i)
    value =
        calculated(run, expression.operators[i], value, evaluate(run, expression.children[i + 1]));
  return value;
}

Value evaluate_joined(Run& run, const Expression& expression) {
  std::string text;
  for (const Expression& child : expression.children) {
    text += text_of(run, evaluate(run, child));
    Run::require_size(text.size());
  }
  return run.text(std::move(text));
}

Values evaluate_all(Run& run, const Expressions& expressions) {
  Values values;
  for (const Expression& one : expressions) values.push_back(evaluate(run, one));
  return values;
}

Value variable(Run& run, const Expression& expression) {
  const Value& value = run.at(expression.place);
  if (value.is_missing())
    return Value::undefined(fmt::format("{} is not defined", quote(expression.text)));
  return value;
}

}  // namespace

Value evaluate(Run& run, const Expression& expression) {
  run.count_step();
  const Run::Level level(run);
  const auto child = [&](std::size_t i) { return evaluate(run, expression.children[i]); };
  switch (expression.type) {
    case Expression::Type::constant:
      return expression.value;
    case Expression::Type::refused:
      refuse(fmt::format("line {}: {}", expression.line, expression.text));
    case Expression::Type::list:
      return run.list(evaluate_all(run, expression.children));
    case Expression::Type::tuple:
      return run.tuple(evaluate_all(run, expression.children));
    case Expression::Type::dict:
      return evaluate_dict(run, expression);
    case Expression::Type::chain:
      return followed(run, child(0), expression.links, Value::of_kind(Kind::missing));
    case Expression::Type::negative:
    case Expression::Type::positive:
      return negated(child(0), expression.type == Expression::Type::positive);
    case Expression::Type::negation:
      return Value::boolean(!is_true(run, child(0)));
    case Expression::Type::any:
    case Expression::Type::all:
      return evaluate_row(run, expression, expression.type == Expression::Type::any);
    case Expression::Type::choice:
      if (is_true(run, child(1))) return child(0);
      return expression.children.size() > 2
                 ? child(2)
                 : Value::undefined("an if without else gives no value here");
    case Expression::Type::operations:
      return evaluate_operations(run, expression);
    case Expression::Type::joined:
      return evaluate_joined(run, expression);
    case Expression::Type::comparison:
      return evaluate_comparison(run, expression);
    default:
      return variable(run, expression);
  }
}

Value followed(Run& run, Value value, const std::vector<Link>& links, const Value& caller) {
  const Value none = Value::of_kind(Kind::missing);
  for (const Link& link : links)
    value = linked(run, value, link, &link == &links.back() ? caller : none);
  return value;
}

Value called(Run& run, const Value& function, const Given& given) {
  run.count_step();
  const Run::Level level(run);
  if (function.is_undefined()) fail(function.reason());
  if (function.is(Kind::macro)) return macro_result(run, function.macro(), given);
  if (function.is(Kind::loop)) return loop_result(run, function.loop(), given);
  if (!function.is(Kind::method) && !function.is(Kind::function))
    fail(fmt::format("expected a function to call, got {}", kind_name(function)));
  return function_result(run, function, given);
}

}  // namespace attend::chat_template
