// Where every variable of a template lives. Jinja decides that when it compiles a template, not
// when it runs it: a variable that a scope sets anywhere belongs to that scope, and begins as a
// copy of an outer one, or without a value. What a template says of `x` above {% set x = 1 %}
// depends on that, so it is done alike here.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/known_names.h"
#include "attend/text/chat_template/parsing/lexer.h"
#include "attend/text/chat_template/parsing/name_visits.h"
#include "attend/text/chat_template/parsing/syntax.h"

namespace attend::chat_template {
namespace {

constexpr std::size_t kMostCopied = 1'000'000;

// The variables of a scope, while it is looked at.
struct Variables {
  const Variables* outer = nullptr;
  std::size_t* copied = nullptr;  // variables of branches, in the whole template
  std::map<std::string, std::size_t> slots = {};
  std::vector<Load> loads = {};
  std::set<std::string> stored = {};

  std::optional<Place> find(const std::string& name) const {
    std::size_t levels = 0;
    for (const Variables* at = this; at != nullptr; at = at->outer, ++levels)
      if (const auto found = at->slots.find(name); found != at->slots.end())
        return Place{levels, found->second};
    return std::nullopt;
  }
  std::optional<Place> find_outside(const std::string& name) const {
    if (outer == nullptr) return std::nullopt;
    auto place = outer->find(name);
    if (place) ++place->levels;
    return place;
  }

  std::size_t define(const std::string& name, Load load) {
    const auto [at, is_new] = slots.emplace(name, loads.size());
    if (is_new) loads.emplace_back();
    loads[at->second] = std::move(load);
    return at->second;
  }
  Load copy_or(const std::string& name, Load::Type otherwise) const {
    if (const auto place = find_outside(name)) return {Load::Type::copied, "", *place};
    return {otherwise, name};
  }

  void store(const std::string& name) {
    stored.insert(name);
    if (!slots.contains(name)) define(name, copy_or(name, Load::Type::none));
  }
  Place declare(const std::string& name) {
    stored.insert(name);
    return {0, define(name, {Load::Type::given})};
  }
  void load(const std::string& name) {
    if (!find(name)) define(name, {Load::Type::looked_up, name});
  }

  void read(const Expression& expression) {
    visit_names(expression, [&](const Expression& one) { load(one.text); });
  }
  void assign(const Expression& target) {
    visit_names(target, [&](const Expression& one) {
      one.type == Expression::Type::name ? store(one.text) : load(one.text);
    });
  }
  void declare_all(const Expression& target) {
    visit_names(target, [&](const Expression& one) { declare(one.text); });
  }

  // Merges branches, of which one or none runs.
  void merge(const std::vector<Variables>& branches) {
    std::set<std::string> added;
    for (const Variables& branch : branches)
      for (const std::string& name : branch.stored)
        if (!stored.contains(name)) added.insert(name);
    for (const Variables& branch : branches) {
      for (const auto& [name, slot] : branch.slots) define(name, branch.loads[slot]);
      stored.insert(branch.stored.begin(), branch.stored.end());
    }
    for (const std::string& name : added) define(name, copy_or(name, Load::Type::looked_up));
  }

  void look_at(const Statements& statements) {
    for (const Statement& statement : statements) look_at(statement);
  }
  void look_at(const Statement& statement);
  void look_at_branches(const Statement& statement);
};

void Variables::look_at_branches(const Statement& statement) {
  read(statement.expressions[0]);
  *copied += slots.size() * (3 + statement.expressions.size());
  if (*copied > kMostCopied) fail_at(statement.line, "too many variables and branches");
  const Variables before = *this;
  std::vector<Variables> branches(3, before);
  branches[0].look_at(statement.bodies[0]);
  for (std::size_t i = 1; i < statement.expressions.size(); ++i) {
    Variables& within = branches[1];
    within.read(statement.expressions[i]);
    Variables body = within;
    body.look_at(statement.bodies[i]);
    within.merge({body});
  }
  if (statement.bodies.size() > statement.expressions.size())
    branches[2].look_at(statement.bodies.back());
  merge(branches);
}

// Without what has a scope of its own.
void Variables::look_at(const Statement& statement) {
  using Type = Statement::Type;
  switch (statement.type) {
    case Type::output:
    case Type::call:
    case Type::with:
    case Type::filter:
      for (const Expression& one : statement.expressions) read(one);
      return;
    case Type::condition:
      return look_at_branches(statement);
    case Type::loop:
      return read(statement.expressions[0]);
    case Type::assignment:
      read(statement.expressions[0]);
      return assign(statement.targets[0]);
    case Type::block_value:
      return assign(statement.targets[0]);
    case Type::macro:
      return store(statement.text);
    default:
      return;
  }
}

class Placer {
 public:
  // is_soft: within an "if", where filters and tests that nobody knows are found out when they are
  // reached.
  void place(Statements& statements, const Variables& variables, bool is_soft) {
    for (Statement& one : statements) place(one, variables, is_soft);
  }

 private:
  void place(Expression& expression, const Variables& variables, bool is_soft) {
    visit_names(expression, [&](Expression& one) {
      const auto found = variables.find(one.text);
      if (!found)
        fail_at(one.line, fmt::format("{}: Jinja does not find it here", quote(one.text)));
      one.place = *found;
    });
    check(expression, is_soft);
  }

  void check(const Arguments& arguments, bool is_soft) {
    for (const Expression& one : arguments.by_position) check(one, is_soft);
    for (const auto& one : arguments.by_name) check(one.value, is_soft);
    for (const Expression& one : arguments.rows) check(one, is_soft);
    for (const Expression& one : arguments.dicts) check(one, is_soft);
  }
  void check(const Expression& expression, bool is_soft) {
    is_soft = is_soft || expression.type == Expression::Type::choice;
    for (const Expression& child : expression.children) check(child, is_soft);
    for (const Link& link : expression.links) {
      if (!is_soft && link.type == Link::Type::filter && !is_filter_name(link.name))
        fail_at(expression.line, fmt::format("there is no filter {}", quote(link.name)));
      if (!is_soft && link.type == Link::Type::test && !is_test_name(link.name))
        fail_at(expression.line, fmt::format("there is no test {}", quote(link.name)));
      check(link.arguments, is_soft);
    }
  }

  void place_all(Expressions& expressions, const Variables& variables, bool is_soft) {
    for (Expression& one : expressions) place(one, variables, is_soft);
  }

  static Variables within(const Variables& outer) {
    Variables variables;
    variables.outer = &outer;
    variables.copied = outer.copied;
    return variables;
  }
  static Scope scope_of(const Variables& variables, const Statements& body) {
    return {variables.loads, holds_macro(body)};
  }

  void place(Statement& statement, const Variables& variables, bool is_soft) {
    using Type = Statement::Type;
    switch (statement.type) {
      case Type::output:
        return place_all(statement.expressions, variables, is_soft);
      case Type::condition:
        place_all(statement.expressions, variables, true);
        for (Statements& body : statement.bodies) place(body, variables, true);
        return;
      case Type::loop:
        return place_loop(statement, variables, is_soft);
      case Type::assignment:
        place_all(statement.targets, variables, is_soft);
        return place_all(statement.expressions, variables, is_soft);
      case Type::macro:
        statement.place = *variables.find(statement.text);
        return place_function(statement, variables);
      case Type::call:
        place_function(statement, variables);
        return place_all(statement.expressions, variables, is_soft);
      case Type::generation:
        return place_function(statement, variables);
      case Type::block_value:
      case Type::filter:
      case Type::with:
      case Type::scope:
        return place_scope(statement, variables, is_soft);
      default:
        return;
    }
  }

  void place_scope(Statement& statement, const Variables& variables, bool is_soft) {
    Variables inner = within(variables);
    const Statement::Type type = statement.type;
    if (type == Statement::Type::with)
      for (const Expression& target : statement.targets) inner.declare_all(target);
    inner.look_at(statement.bodies[0]);
    if (type == Statement::Type::filter || type == Statement::Type::scope)
      for (const Expression& one : statement.expressions) inner.read(one);
    const bool is_outside = type == Statement::Type::with;
    place_all(statement.targets, is_outside ? inner : variables, is_soft);
    place_all(statement.expressions, is_outside ? variables : inner, is_outside && is_soft);
    place(statement.bodies[0], inner, false);
    statement.scope = scope_of(inner, statement.bodies[0]);
  }

  static void require_free_loop(const Statement& statement) {
    const auto refuse_loop = [&](const Expression& target) {
      visit_names(target, [&](const Expression& one) {
        if (one.type == Expression::Type::name && one.text == "loop")
          fail_at(statement.line, "loop cannot be set within a loop");
      });
    };
    if (statement.type != Statement::Type::with)
      for (const Expression& target : statement.targets) refuse_loop(target);
    for (const Statements& body : statement.bodies)
      for (const Statement& one : body) require_free_loop(one);
  }

  void place_loop(Statement& statement, const Variables& variables, bool is_soft) {
    require_free_loop(statement);
    place(statement.expressions[0], variables, is_soft);
    Variables inner = within(variables);
    statement.has_loop =
        statement.is_recursive || names_read(statement.bodies[0], {"loop"}).contains("loop");
    if (statement.has_loop) statement.loop_place = inner.declare("loop");
    inner.declare_all(statement.targets[0]);
    inner.look_at(statement.bodies[0]);
    place(statement.targets[0], inner, false);
    place(statement.bodies[0], inner, false);
    statement.scope = scope_of(inner, statement.bodies[0]);
    if (statement.expressions.size() > 1) {
      Variables test = within(variables);
      test.declare_all(statement.targets[0]);
      test.read(statement.expressions[1]);
      place(statement.expressions[1], test, false);
      statement.test_scope = {test.loads, false};
      Expression target = statement.targets[0];
      place(target, test, false);
      statement.targets.push_back(std::move(target));
    }
    if (!statement.is_else) return;
    Variables other = within(variables);
    other.look_at(statement.bodies[1]);
    place(statement.bodies[1], other, false);
    statement.else_scope = scope_of(other, statement.bodies[1]);
  }

  void place_function(Statement& statement, const Variables& variables) {
    const Statements& body = statement.bodies[0];
    Variables inner = within(variables);
    const auto look = [&] {
      for (const std::string& name : statement.names) inner.declare(name);
      for (const Expression& one : statement.defaults) inner.read(one);
      inner.look_at(body);
    };
    look();
    declare_special(statement, inner);
    look();
    for (const std::string& name : statement.names) statement.places.push_back(*inner.find(name));
    place_all(statement.defaults, inner, false);
    place(statement.bodies[0], inner, false);
    statement.scope = scope_of(inner, body);
  }

  static void declare_special(Statement& statement, Variables& inner) {
    const std::set<std::string> read =
        names_read(statement.bodies[0], {"caller", "kwargs", "varargs"});
    const auto at = [&](const char* name) {
      return std::find(statement.names.begin(), statement.names.end(), name);
    };
    if (read.contains("caller")) {
      const auto given = at("caller");
      const std::size_t required = statement.names.size() - statement.defaults.size();
      if (given != statement.names.end() &&
          static_cast<std::size_t>(given - statement.names.begin()) < required)
        fail_at(statement.line, "the parameter caller needs a default value");
      if (given == statement.names.end()) statement.caller = inner.declare("caller");
      statement.has_caller = true;
    }
    if (read.contains("kwargs") && at("kwargs") == statement.names.end()) {
      statement.named = inner.declare("kwargs");
      statement.has_named = true;
    }
    if (read.contains("varargs") && at("varargs") == statement.names.end()) {
      statement.more = inner.declare("varargs");
      statement.has_more = true;
    }
  }
};

}  // namespace

Scope place_names(Statements& statements) {
  std::size_t copied = 0;
  Variables variables;
  variables.copied = &copied;
  variables.look_at(statements);
  Placer().place(statements, variables, false);
  return {variables.loads, true};
}

}  // namespace attend::chat_template
