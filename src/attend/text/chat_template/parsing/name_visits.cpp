#include "attend/text/chat_template/parsing/name_visits.h"

#include <algorithm>

namespace attend::chat_template {
namespace {

class ReadNames {
 public:
  explicit ReadNames(std::set<std::string> names) : names_(std::move(names)) {}
  std::set<std::string> in(const Statements& statements) {
    for (const Statement& one : statements) look_at(one);
    return found_;
  }

 private:
  void set(const std::string& name) { names_.erase(name); }
  void read(const Expression& expression) {
    visit_names(expression, [&](const Expression& one) {
      if (one.type == Expression::Type::name && names_.contains(one.text)) found_.insert(one.text);
    });
  }
  void assign(const Expression& target) {
    visit_names(target, [&](const Expression& one) {
      if (one.type == Expression::Type::name) set(one.text);
    });
  }
  void look_at(const Statement& statement) {
    const bool sets_first = statement.type != Statement::Type::call;
    if (!sets_first) read(statement.expressions[0]);
    for (const Expression& target : statement.targets) assign(target);
    for (const std::string& name : statement.names) set(name);
    for (const Expression& one : statement.defaults) read(one);
    if (sets_first)
      for (const Expression& one : statement.expressions) read(one);
    for (const Statements& body : statement.bodies)
      for (const Statement& one : body) look_at(one);
  }

  std::set<std::string> names_, found_;
};

}  // namespace

std::set<std::string> names_read(const Statements& statements, std::set<std::string> names) {
  return ReadNames(std::move(names)).in(statements);
}

bool holds_macro(const Statements& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& one) {
    return one.type == Statement::Type::macro || one.type == Statement::Type::call ||
           one.type == Statement::Type::generation || one.is_recursive ||
           std::any_of(one.bodies.begin(), one.bodies.end(), holds_macro);
  });
}

}  // namespace attend::chat_template
