// The names in expressions and statements. Private to text/.
#pragma once

#include <set>
#include <string>

#include "attend/text/chat_template/parsing/syntax.h"

namespace attend::chat_template {

// Calls visit(Expression&) for every name and namespace member in an expression.
template <class Expression, class Visit>
void visit_names(Expression& expression, const Visit& visit);

template <class Links, class Visit>
void visit_links(Links& links, const Visit& visit) {
  for (auto& link : links) {
    for (auto& one : link.arguments.by_position) visit_names(one, visit);
    for (auto& one : link.arguments.by_name) visit_names(one.value, visit);
    for (auto& one : link.arguments.rows) visit_names(one, visit);
    for (auto& one : link.arguments.dicts) visit_names(one, visit);
  }
}

template <class Expression, class Visit>
void visit_names(Expression& expression, const Visit& visit) {
  for (auto& child : expression.children) visit_names(child, visit);
  visit_links(expression.links, visit);
  if (expression.type == Expression::Type::name || expression.type == Expression::Type::name_member)
    visit(expression);
}

// Which of `names` are read before they are set, as Jinja looks for "loop", "caller" and such.
std::set<std::string> names_read(const Statements& statements, std::set<std::string> names);

// Whether a macro is defined there, or a block that is one.
bool holds_macro(const Statements& statements);

}  // namespace attend::chat_template
