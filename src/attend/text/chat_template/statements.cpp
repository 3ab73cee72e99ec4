#include <fmt/format.h>

#include <memory>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/evaluation.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

const Value kNoCaller = Value::of_kind(Kind::missing);

Flow run_condition(Run& run, const Statement& statement) {
  for (std::size_t i = 0; i < statement.expressions.size(); ++i)
    if (is_true(run, evaluate(run, statement.expressions[i])))
      return run_all(run, statement.bodies[i]);
  const bool has_else = statement.bodies.size() > statement.expressions.size();
  return has_else ? run_all(run, statement.bodies.back()) : Flow::end;
}

// The items that the test of a loop accepts, when they are asked for.
Value tested(Run& run, const Statement& statement, const Value& all) {
  struct State {
    Iteration iteration;
    bool is_begun = false;
  };
  auto state = std::make_shared<State>();
  Frame* outer = run.frame();
  return Value::iterator(
      [state, &statement, all, outer](Run& within, Value& next) {
        if (!state->is_begun) state->iteration = Iteration(all);
        state->is_begun = true;
        const Run::Level level(within);
        while (state->iteration.next(within, next)) {
          within.enter(statement.test_scope, outer);
          assign(within, statement.targets[1], next);
          const bool is_accepted = is_true(within, evaluate(within, statement.expressions[1]));
          within.leave(statement.test_scope);
          if (is_accepted) return true;
        }
        return false;
      },
      all.depth());
}

void run_else(Run& run, const Statement& statement, Flow& flow) {
  if (!statement.is_else) return;
  run.enter(statement.else_scope);
  flow = run_all(run, statement.bodies[1]);
  run.leave(statement.else_scope);
}

// depth0: of a recursive loop that calls itself.
Flow run_items(Run& run, const Statement& statement, Value all, std::int64_t depth0) {
  Frame* outer = run.frame();
  if (statement.expressions.size() > 1) all = tested(run, statement, all);
  Loop* loop = nullptr;
  Iteration plain;
  if (statement.has_loop) {
    loop = &run.make_loop(all);
    loop->depth0 = depth0;
    loop->recursive = statement.is_recursive ? &statement : nullptr;
    loop->frame = outer;
  } else {
    plain = Iteration(all);
  }
  run.enter(statement.scope);
  bool is_empty = true;
  Value item;
  const auto advance = [&] {
    if (loop == nullptr) return plain.next(run, item);
    if (!loop->advance(run)) return false;
    item = loop->current;
    return true;
  };
  while (advance()) {
    run.count_step();
    if (loop != nullptr) run.at(statement.loop_place) = Value::loop(loop);
    assign(run, statement.targets[0], item);
    run.reset(statement.scope);
    const Flow flow = run_all(run, statement.bodies[0]);
    if (flow == Flow::end) is_empty = false;
    if (flow == Flow::leave) break;
  }
  run.leave(statement.scope);
  // If all items end by break or continue, Jinja has seen none.
  Flow flow = Flow::end;
  if (is_empty) run_else(run, statement, flow);
  return flow;
}

Flow run_loop(Run& run, const Statement& statement) {
  const Run::Level level(run);
  Value all = evaluate(run, statement.expressions[0]);
  if (!statement.is_recursive) return run_items(run, statement, std::move(all), 0);
  run.begin_capture();
  run_items(run, statement, std::move(all), 0);
  run.write(run.end_capture());
  return Flow::end;
}

Space& space_at(Run& run, const Expression& target) {
  const Value& space = run.at(target.place);
  if (!space.is(Kind::space))
    fail(fmt::format("set {}.{}: expected a namespace", target.text, target.member));
  return space.space();
}

void require_spaces(Run& run, const Expression& target) {
  if (target.type == Expression::Type::name_member) space_at(run, target);
  for (const Expression& child : target.children) require_spaces(run, child);
}

void set_member(Run& run, const Expression& target, const Value& value) {
  Space& space = space_at(run, target);
  if (target.member.starts_with('_'))
    fail(fmt::format("set {}.{}: expected a name without \"_\" before it", target.text,
                     target.member));
  run.count_work(space.members.size());
  for (auto& [name, old] : space.members) {
    if (name != target.member) continue;
    old = value;
    return;
  }
  space.members.emplace_back(target.member, value);
}

// What the bodies of blocks write goes through filters, and must be text after them.
std::string filtered_text(Run& run, const Statement& statement, Value text) {
  Value result = followed(run, std::move(text), statement.expressions[0].links, kNoCaller);
  return text_in(result, "filter");
}

Flow run_block_value(Run& run, const Statement& statement) {
  run.enter(statement.scope);
  run.begin_capture();
  const Flow flow = run_all(run, statement.bodies[0]);
  Value value = run.text(run.end_capture());
  if (flow == Flow::end)
    value = followed(run, std::move(value), statement.expressions[0].links, kNoCaller);
  run.leave(statement.scope);
  if (flow == Flow::end) assign(run, statement.targets[0], value);
  return flow;
}

Flow run_filter(Run& run, const Statement& statement) {
  run.enter(statement.scope);
  run.begin_capture();
  const Flow flow = run_all(run, statement.bodies[0]);
  Value text = run.text(run.end_capture());
  if (flow == Flow::end) run.write(filtered_text(run, statement, std::move(text)));
  run.leave(statement.scope);
  return flow;
}

Flow run_with(Run& run, const Statement& statement) {
  Values values;
  for (const Expression& one : statement.expressions) values.push_back(evaluate(run, one));
  run.enter(statement.scope);
  for (std::size_t i = 0; i < values.size(); ++i) assign(run, statement.targets[i], values[i]);
  const Flow flow = run_all(run, statement.bodies[0]);
  run.leave(statement.scope);
  return flow;
}

Flow run_scope(Run& run, const Statement& statement) {
  run.enter(statement.scope);
  if (is_true(run, evaluate(run, statement.expressions[0]))) refuse("autoescape");
  const Flow flow = run_all(run, statement.bodies[0]);
  run.leave(statement.scope);
  return flow;
}

void run_call(Run& run, const Statement& statement) {
  const Value caller = Value::macro(&run.make_macro(statement));
  if (statement.type == Statement::Type::generation) {
    run.write(macro_result(run, caller.macro(), {}).bytes());
    return;
  }
  const Expression& call = statement.expressions[0];
  const Value result = followed(run, evaluate(run, call.children[0]), call.links, caller);
  run.write(text_in(result, "call"));
}

Flow run_one(Run& run, const Statement& statement) {
  using Type = Statement::Type;
  switch (statement.type) {
    case Type::text:
      run.write(statement.text);
      return Flow::end;
    case Type::output:
      for (const Expression& one : statement.expressions)
        run.write(text_of(run, evaluate(run, one)));
      return Flow::end;
    case Type::condition:
      return run_condition(run, statement);
    case Type::loop:
      return run_loop(run, statement);
    case Type::assignment:
      require_spaces(run, statement.targets[0]);
      assign(run, statement.targets[0], evaluate(run, statement.expressions[0]));
      return Flow::end;
    case Type::block_value:
      return run_block_value(run, statement);
    case Type::macro:
      run.at(statement.place) = Value::macro(&run.make_macro(statement));
      return Flow::end;
    case Type::call:
    case Type::generation:
      run_call(run, statement);
      return Flow::end;
    case Type::filter:
      return run_filter(run, statement);
    case Type::with:
      return run_with(run, statement);
    case Type::scope:
      return run_scope(run, statement);
    case Type::leave:
      return Flow::leave;
    case Type::next:
      return Flow::next;
    case Type::failure:
      fail(statement.text);
    default:
      refuse(fmt::format("line {}: {}", statement.line, statement.text));
  }
}

// The values that parameters take, in their order; missing where none is given.
Values parameters_of(const Statement& macro, Given& named, const Given& given) {
  const std::size_t count = std::min(given.by_position.size(), macro.names.size());
  Values values(given.by_position.begin(),
                given.by_position.begin() + static_cast<std::ptrdiff_t>(count));
  named.by_name = given.by_name;
  for (std::size_t i = count; i < macro.names.size(); ++i) {
    values.push_back(Value::of_kind(Kind::missing));
    for (auto one = named.by_name.begin(); one != named.by_name.end(); ++one) {
      if (one->first != macro.names[i]) continue;
      values.back() = one->second;
      named.by_name.erase(one);
      break;
    }
  }
  return values;
}

// The caller, and what no parameter takes.
void set_special(Run& run, const Statement& macro, Given& named, const Given& given) {
  const bool is_parameter =
      std::find(macro.names.begin(), macro.names.end(), "caller") != macro.names.end();
  if (macro.has_caller && !is_parameter) {
    Value caller = Value::undefined("there is no caller");
    for (auto one = named.by_name.begin(); one != named.by_name.end(); ++one) {
      if (one->first != "caller") continue;
      if (!one->second.is_none()) caller = one->second;
      named.by_name.erase(one);
      break;
    }
    run.at(macro.caller) = std::move(caller);
  }
  if (macro.has_named) {
    Items items;
    for (const auto& [name, value] : named.by_name) items.emplace_back(run.text(name), value);
    run.at(macro.named) = run.dict(std::move(items));
  } else if (!named.by_name.empty()) {
    fail(fmt::format("a macro has no parameter {}", quote(named.by_name[0].first)));
  }
  const std::size_t count = macro.names.size();
  if (macro.has_more) {
    const std::size_t from = std::min(count, given.by_position.size());
    run.at(macro.more) = run.tuple(Values(
        given.by_position.begin() + static_cast<std::ptrdiff_t>(from), given.by_position.end()));
  } else if (given.by_position.size() > count) {
    fail(fmt::format("a macro: expected at most {} values, got {}", count,
                     given.by_position.size()));
  }
}

}  // namespace

void assign(Run& run, const Expression& target, const Value& value) {
  if (target.type == Expression::Type::name) {
    run.at(target.place) = value;
    return;
  }
  if (target.type == Expression::Type::name_member) return set_member(run, target, value);
  if (value.is_undefined() && !target.children.empty()) fail(value.reason());
  const Values items = items_of(run, value);
  if (items.size() != target.children.size())
    fail(fmt::format("expected {} values to assign, got {}", target.children.size(), items.size()));
  for (std::size_t i = 0; i < items.size(); ++i) assign(run, target.children[i], items[i]);
}

Flow run_all(Run& run, const Statements& statements) {
  const Run::Level level(run);
  for (const Statement& statement : statements) {
    run.count_step();
    if (const Flow flow = run_one(run, statement); flow != Flow::end) return flow;
  }
  return Flow::end;
}

Value macro_result(Run& run, const Macro& macro, const Given& given) {
  const Run::Level level(run);
  const Statement& statement = *macro.statement;
  Given named;
  const Values values = parameters_of(statement, named, given);
  run.enter(statement.scope, macro.frame);
  set_special(run, statement, named, given);
  for (std::size_t i = 0; i < values.size(); ++i) run.at(statement.places[i]) = values[i];
  const std::size_t required = statement.names.size() - statement.defaults.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    Value& place = run.at(statement.places[i]);
    if (!place.is_missing()) continue;
    Value value = i < required ? Value::undefined(fmt::format("the parameter {} is not given",
                                                              quote(statement.names[i])))
                               : evaluate(run, statement.defaults[i - required]);
    run.at(statement.places[i]) = std::move(value);
  }
  run.begin_capture();
  run_all(run, statement.bodies[0]);
  Value text = run.text(run.end_capture());
  run.leave(statement.scope);
  return text;
}

Value loop_result(Run& run, const Loop& loop, const Given& given) {
  const Bound bound("loop", "iterable", 1, given);
  if (loop.recursive == nullptr) fail("loop: it is called without \"recursive\" in its head");
  const Statement& statement = *loop.recursive;
  const std::int64_t depth = loop.depth0 + 1;
  Frame* const within = run.move_to(loop.frame);
  run.begin_capture();
  run_items(run, statement, bound.at(0), depth);
  run.move_to(within);
  return run.text(run.end_capture());
}

}  // namespace attend::chat_template
