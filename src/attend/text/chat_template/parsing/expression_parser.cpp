#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/parsing/parser.h"

namespace attend::chat_template {
namespace {

using ExpressionType = Expression::Type;

constexpr std::size_t kMostNames = 500;

Expression made(TokenReader& reader, ExpressionType type) { return {type, reader.line()}; }

bool is_truth_name(std::string_view name) {
  return name == "true" || name == "True" || name == "false" || name == "False";
}
bool is_none_name(std::string_view name) { return name == "none" || name == "None"; }

Expression read_bracketed(TokenReader& reader, ExpressionType type, std::string_view close) {
  Expression result = made(reader, type);
  while (!reader.accept(close)) {
    result.children.push_back(read_expression(reader));
    if (type == ExpressionType::dict) {
      reader.expect(":");
      result.children.push_back(read_expression(reader));
    }
    if (!reader.is(close)) reader.expect(",");
  }
  return result;
}

// After "(".
void read_arguments(TokenReader& reader, Arguments& arguments) {
  const auto require = [&](bool is_valid) {
    if (!is_valid) reader.fail("arguments by position come first");
  };
  while (!reader.accept(")")) {
    if (reader.accept("*")) {
      require(arguments.rows.empty() && arguments.dicts.empty());
      arguments.rows.push_back(read_expression(reader));
    } else if (reader.accept("**")) {
      require(arguments.dicts.empty());
      arguments.dicts.push_back(read_expression(reader));
    } else if (reader.is(TokenType::name) && reader.is("=", 1)) {
      require(arguments.dicts.empty());
      const std::string name = reader.next().text;
      if (arguments.by_name.size() >= kMostNames) reader.fail("too many arguments");
      for (const NamedArgument& other : arguments.by_name)
        if (other.name == name) reader.fail(fmt::format("{} is given twice", quote(name)));
      reader.next();
      arguments.by_name.push_back({name, read_expression(reader)});
    } else {
      require(arguments.rows.empty() && arguments.dicts.empty() && arguments.by_name.empty());
      arguments.by_position.push_back(read_expression(reader));
    }
    if (!reader.is(")")) reader.expect(",");
  }
}

// One part between "[" and "]": a key, or the bounds of a slice.
bool read_subscribed(TokenReader& reader, Expressions& bounds) {
  const auto ends = [&] { return reader.is("]") || reader.is(",") || reader.is(":"); };
  const auto read_bound = [&] {
    bounds.push_back(ends() ? constant_expression(reader, Value::none()) : read_expression(reader));
  };
  if (!reader.is(":")) {
    bounds.push_back(read_expression(reader));
    if (!reader.is(":")) return false;
  } else {
    bounds.push_back(constant_expression(reader, Value::none()));
  }
  reader.expect(":");
  read_bound();
  if (reader.accept(":")) {
    read_bound();
  } else {
    bounds.push_back(constant_expression(reader, Value::none()));
  }
  return true;
}

Link made_link(Link::Type type, std::string name = "", Expressions by_position = {}) {
  Link link;
  link.type = type;
  link.name = std::move(name);
  link.arguments.by_position = std::move(by_position);
  return link;
}

// After "[".
Link read_subscript(TokenReader& reader) {
  Expressions keys;
  bool is_slice = false;
  while (!reader.accept("]")) {
    if (!keys.empty()) reader.expect(",");
    Expressions bounds;
    if (read_subscribed(reader, bounds)) {
      is_slice = true;
      if (keys.empty() && reader.accept("]"))
        return made_link(Link::Type::slice, "", std::move(bounds));
    }
    keys.push_back(is_slice ? refused_expression(reader, "a slice in a tuple of keys")
                            : std::move(bounds.front()));
  }
  if (keys.size() == 1) return made_link(Link::Type::item, "", std::move(keys));
  Expression tuple = made(reader, ExpressionType::tuple);
  tuple.children = std::move(keys);
  return made_link(Link::Type::item, "", {std::move(tuple)});
}

// After ".".
Link read_member(TokenReader& reader) {
  if (!reader.is(TokenType::integer)) return made_link(Link::Type::member, reader.expect_name());
  return made_link(Link::Type::item, "", {read_number(reader)});
}

std::string read_dotted_name(TokenReader& reader) {
  std::string name = reader.expect_name();
  while (reader.accept(".")) name += "." + reader.expect_name();
  return name;
}

Link read_filter(TokenReader& reader) {
  Link link = made_link(Link::Type::filter, read_dotted_name(reader));
  if (reader.accept("(")) read_arguments(reader, link.arguments);
  return link;
}

bool read_postfix(TokenReader& reader, std::vector<Link>& links) {
  if (reader.accept(".")) {
    links.push_back(read_member(reader));
  } else if (reader.accept("[")) {
    links.push_back(read_subscript(reader));
  } else if (reader.accept("(")) {
    links.push_back(made_link(Link::Type::call));
    read_arguments(reader, links.back().arguments);
  } else {
    return false;
  }
  return true;
}

Expression chained(Expression first, std::vector<Link> links) {
  if (links.empty()) return first;
  Expression chain{ExpressionType::chain, first.line};
  chain.children.push_back(std::move(first));
  chain.links = std::move(links);
  return chain;
}

// After "is".
Link read_test(TokenReader& reader) {
  const bool is_negated = reader.accept("not");
  Link link = made_link(Link::Type::test, read_dotted_name(reader));
  link.is_negated = is_negated;
  const Token& token = reader.peek();
  const bool is_word = token.type == TokenType::name && token.text != "else" &&
                       token.text != "or" && token.text != "and";
  if (reader.accept("(")) {
    read_arguments(reader, link.arguments);
  } else if (is_word || token.type == TokenType::string || token.type == TokenType::integer ||
             token.type == TokenType::real || reader.is("[") || reader.is("{")) {
    if (reader.is("is")) reader.fail("tests cannot follow each other: use and");
    Expression value = read_primary(reader);
    std::vector<Link> links;
    while (read_postfix(reader, links)) {
    }
    link.arguments.by_position.push_back(chained(std::move(value), std::move(links)));
  }
  return link;
}

Expression read_unary(TokenReader& reader, bool with_filters) {
  const TokenReader::Level level(reader);
  Expression value = made(reader, ExpressionType::negative);
  if (reader.is("-") || reader.is("+")) {
    if (reader.next().text == "+") value.type = ExpressionType::positive;
    value.children.push_back(read_unary(reader, false));
  } else {
    value = read_primary(reader);
  }
  std::vector<Link> links;
  while (read_postfix(reader, links)) {
  }
  while (with_filters) {
    if (reader.accept("|")) {
      links.push_back(read_filter(reader));
    } else if (reader.accept("is")) {
      links.push_back(read_test(reader));
    } else if (reader.accept("(")) {
      links.push_back(made_link(Link::Type::call));
      read_arguments(reader, links.back().arguments);
    } else {
      break;
    }
  }
  return chained(std::move(value), std::move(links));
}

// Operators that bind equally, from the left. A row of any length is no deeper than a short one.
Expression read_row(TokenReader& reader, ExpressionType type,
                    const std::vector<std::string_view>& symbols,
                    Expression (*read_one)(TokenReader&)) {
  Expression first = read_one(reader);
  Expression row{type, first.line};
  for (;;) {
    const auto symbol = std::find_if(symbols.begin(), symbols.end(),
                                     [&](std::string_view one) { return reader.is(one); });
    if (symbol == symbols.end()) break;
    reader.next();
    row.operators.emplace_back(*symbol);
    if (row.children.empty()) row.children.push_back(std::move(first));
    row.children.push_back(read_one(reader));
  }
  return row.children.empty() ? first : row;
}

Expression read_power(TokenReader& reader) {
  return read_row(reader, ExpressionType::operations, {"**"},
                  [](TokenReader& r) { return read_unary(r, true); });
}
Expression read_product(TokenReader& reader) {
  return read_row(reader, ExpressionType::operations, {"*", "/", "//", "%"}, read_power);
}
Expression read_joined(TokenReader& reader) {
  return read_row(reader, ExpressionType::joined, {"~"}, read_product);
}
Expression read_sum(TokenReader& reader) {
  return read_row(reader, ExpressionType::operations, {"+", "-"}, read_joined);
}

Expression read_comparison(TokenReader& reader) {
  constexpr std::array<std::string_view, 7> kSymbols{"==", "!=", "<", ">", "<=", ">=", "in"};
  Expression first = read_sum(reader);
  Expression row{ExpressionType::comparison, first.line};
  for (;;) {
    const bool is_not_in = reader.is("not") && reader.is("in", 1);
    const auto symbol = std::find_if(kSymbols.begin(), kSymbols.end(),
                                     [&](std::string_view one) { return reader.is(one); });
    if (!is_not_in && symbol == kSymbols.end()) break;
    if (is_not_in) reader.next();
    reader.next();
    row.operators.emplace_back(is_not_in ? "not in" : *symbol);
    if (row.children.empty()) row.children.push_back(std::move(first));
    row.children.push_back(read_sum(reader));
  }
  return row.children.empty() ? first : row;
}

Expression read_not(TokenReader& reader) {
  const TokenReader::Level level(reader);
  Expression value = made(reader, ExpressionType::negation);
  if (!reader.accept("not")) return read_comparison(reader);
  value.children.push_back(read_not(reader));
  return value;
}

Expression read_all(TokenReader& reader) {
  return read_row(reader, ExpressionType::all, {"and"}, read_not);
}

bool ends_tuple(TokenReader& reader, std::string_view end) {
  return reader.is("}}") || reader.is("%}") || reader.is(")") || (!end.empty() && reader.is(end));
}

// One, or several with commas between them: then, and in empty parentheses, a tuple.
Expression read_tuple_of(TokenReader& reader, std::string_view end, bool may_be_empty,
                         const auto& read_one) {
  Expression tuple = made(reader, ExpressionType::tuple);
  bool is_tuple = false;
  for (;;) {
    if (!tuple.children.empty()) reader.expect(",");
    if (ends_tuple(reader, end)) break;
    tuple.children.push_back(read_one(reader));
    if (!reader.is(",")) break;
    is_tuple = true;
  }
  if (is_tuple) return tuple;
  if (!tuple.children.empty()) return std::move(tuple.children.front());
  if (!may_be_empty)
    reader.fail(fmt::format("expected a value, got {}",
                            reader.is(TokenType::end) ? "the end" : quote(reader.peek().text)));
  return tuple;
}

bool can_be_assigned(const Expression& target) {
  if (target.type == ExpressionType::tuple)
    return std::all_of(target.children.begin(), target.children.end(), can_be_assigned);
  return target.type == ExpressionType::name || target.type == ExpressionType::name_member;
}

}  // namespace

Expression read_primary(TokenReader& reader, bool with_member) {
  if (reader.is(TokenType::string)) return read_strings(reader);
  if (reader.is(TokenType::integer) || reader.is(TokenType::real)) return read_number(reader);
  if (reader.accept("[")) return read_bracketed(reader, ExpressionType::list, "]");
  if (reader.accept("{")) return read_bracketed(reader, ExpressionType::dict, "}");
  if (reader.accept("(")) {
    Expression value = read_tuple_of(reader, {}, true, read_expression);
    reader.expect(")");
    return value;
  }
  Expression variable = made(reader, ExpressionType::name);
  variable.text = reader.expect_name();
  if (is_truth_name(variable.text))
    return constant_expression(reader,
                               Value::boolean(variable.text == "true" || variable.text == "True"));
  if (is_none_name(variable.text)) return constant_expression(reader, Value::none());
  if (with_member && reader.accept(".")) {
    variable.type = ExpressionType::name_member;
    variable.member = reader.expect_name();
  }
  return variable;
}

Expression read_choice_free(TokenReader& reader) {
  return read_row(reader, ExpressionType::any, {"or"}, read_all);
}

Expression read_expression(TokenReader& reader) {
  const TokenReader::Level level(reader);
  Expression value = read_choice_free(reader);
  for (int choices = 0; reader.accept("if"); ++choices) {
    if (choices > 50) reader.fail("it is nested too deeply");
    Expression choice{ExpressionType::choice, value.line};
    choice.children.push_back(std::move(value));
    choice.children.push_back(read_choice_free(reader));
    if (reader.accept("else")) choice.children.push_back(read_expression(reader));
    value = std::move(choice);
  }
  return value;
}

Expression read_tuple(TokenReader& reader, bool with_choice, std::string_view end) {
  return read_tuple_of(reader, end, false, with_choice ? read_expression : read_choice_free);
}

Expression read_target(TokenReader& reader, bool with_member, std::string_view end) {
  Expression target = read_tuple_of(
      reader, end, false, [&](TokenReader& within) { return read_primary(within, with_member); });
  if (!can_be_assigned(target)) reader.fail("expected a name to assign to");
  return target;
}

Expression read_filters(TokenReader& reader, bool at_name) {
  Expression chain = made(reader, ExpressionType::chain);
  while (at_name || reader.accept("|")) {
    chain.links.push_back(read_filter(reader));
    at_name = false;
  }
  return chain;
}

}  // namespace attend::chat_template
