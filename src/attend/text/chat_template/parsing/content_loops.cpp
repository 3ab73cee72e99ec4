#include "attend/text/chat_template/parsing/content_loops.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace attend::chat_template {
namespace {

constexpr std::string_view kContent = "content";

// A part of the value, or the same in another form.
bool keeps_value(const Link& link) {
  return link.type == Link::Type::slice || link.type == Link::Type::filter;
}

bool takes_content(const Link& link) {
  if (link.type == Link::Type::member) return link.name == kContent;
  if (link.type != Link::Type::item || link.arguments.by_position.size() != 1) return false;
  const Expression& key = link.arguments.by_position[0];
  return key.type == Expression::Type::constant && key.value.is_text() &&
         key.value.bytes() == kContent;
}

class ContentLoops {
 public:
  bool in(const Statements& statements) {
    return std::any_of(statements.begin(), statements.end(),
                       [&](const Statement& one) { return look_at(one); });
  }

 private:
  bool is_content(const Expression& expression) const {
    if (expression.type == Expression::Type::name) return names_.contains(expression.text);
    if (expression.type == Expression::Type::choice)
      return is_content(expression.children[0]) ||
             (expression.children.size() > 2 && is_content(expression.children[2]));
    if (expression.type != Expression::Type::chain) return false;
    const auto& links = expression.links;
    const auto last = std::find_if_not(links.rbegin(), links.rend(), keeps_value);
    return last == links.rend() ? is_content(expression.children[0]) : takes_content(*last);
  }

  bool look_at(const Statement& statement) {
    if (statement.type == Statement::Type::loop && is_content(statement.expressions[0]))
      return true;
    const bool sets_one =
        statement.type == Statement::Type::assignment && statement.targets.size() == 1;
    if (sets_one && is_content(statement.expressions[0])) names_.insert(statement.targets[0].text);
    for (const std::string& parameter : statement.names)
      if (parameter == kContent) names_.insert(parameter);
    return std::any_of(statement.bodies.begin(), statement.bodies.end(),
                       [&](const Statements& body) { return in(body); });
  }

  std::set<std::string> names_;
};

}  // namespace

bool loops_over_content(const Statements& statements) { return ContentLoops().in(statements); }

}  // namespace attend::chat_template
