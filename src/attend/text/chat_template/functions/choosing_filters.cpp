// Filters that apply other filters and tests to the items of a list, one after another, when they
// are asked for.
#include <fmt/format.h>

#include <memory>

#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/operators.h"

namespace attend::chat_template {
namespace {

const Value& name_in(const Given& given, std::size_t at) { return given.by_position[at]; }

Given rest_of(const Given& given, std::size_t from) {
  Given rest = given;
  rest.by_position.erase(rest.by_position.begin(),
                         rest.by_position.begin() + static_cast<std::ptrdiff_t>(from));
  return rest;
}

int depth_of(const Value& value, const Given& given) {
  int depth = value.depth();
  for (const Value& one : given.by_position) depth = std::max(depth, one.depth());
  for (const auto& one : given.by_name) depth = std::max(depth, one.second.depth());
  return depth;
}

using Change = std::function<Value(Run&, const Value&)>;

// Reads the arguments of map(attribute="name", default="x").
Change attribute_change(Run& run, const Given& given) {
  Value attribute, otherwise = Value::none();
  for (const auto& [name, value] : given.by_name) {
    if (name == "attribute")
      attribute = value;
    else if (name == "default")
      otherwise = value;
    else
      fail(fmt::format("map: there is no parameter {}", name));
  }
  return [path = AttributePath(run, attribute), otherwise](Run& within, const Value& item) {
    return path.of(within, item, otherwise);
  };
}

Change change_of(Run& run, const Given& given) {
  const auto is_attribute = [](const auto& one) { return one.first == "attribute"; };
  const bool has_attribute = std::any_of(given.by_name.begin(), given.by_name.end(), is_attribute);
  if (given.by_position.empty() && has_attribute) return attribute_change(run, given);
  if (given.by_position.empty()) fail("map: expected the name of a filter");
  const std::string name = text_in(name_in(given, 0), "map");
  return [name, rest = rest_of(given, 1)](Run& within, const Value& item) {
    return filtered(within, name, item, rest);
  };
}

Value mapped(const Value& value, const Given& given) {
  struct State {
    Iteration iteration;
    Change change;
    bool is_begun = false;
  };
  auto state = std::make_shared<State>();
  return Value::iterator(
      [state, value, given](Run& run, Value& next) {
        if (!state->is_begun) {
          if (!is_true(run, value)) return false;
          state->change = change_of(run, given);
          state->iteration = Iteration(value);
          state->is_begun = true;
        }
        Value item;
        if (!state->iteration.next(run, item)) return false;
        const Run::Level level(run);
        next = state->change(run, item);
        return true;
      },
      depth_of(value, given));
}

using Accept = std::function<bool(Run&, const Value&)>;

Accept accept_of(Run& run, const Given& given, bool has_attribute) {
  const std::size_t at = has_attribute ? 1 : 0;
  if (given.by_position.size() < at) fail("expected the name of an attribute");
  const AttributePath path(run, has_attribute ? name_in(given, 0) : Value::none());
  if (given.by_position.size() == at)
    return [path](Run& within, const Value& item) {
      return is_true(within, path.of(within, item, Value::none()));
    };
  const Value name = name_in(given, at);
  return [path, name, rest = rest_of(given, at + 1)](Run& within, const Value& item) {
    return passes_test(within, text_in(name, "select"), path.of(within, item, Value::none()), rest);
  };
}

Value selected(const Value& value, const Given& given, bool has_attribute, bool rejects) {
  struct State {
    Iteration iteration;
    Accept accept;
    bool is_begun = false;
  };
  auto state = std::make_shared<State>();
  return Value::iterator(
      [state, value, given, has_attribute, rejects](Run& run, Value& next) {
        if (!state->is_begun) {
          if (!is_true(run, value)) return false;
          state->accept = accept_of(run, given, has_attribute);
          state->iteration = Iteration(value);
          state->is_begun = true;
        }
        const Run::Level level(run);
        while (state->iteration.next(run, next))
          if (state->accept(run, next) != rejects) return true;
        return false;
      },
      depth_of(value, given));
}

}  // namespace

Value chosen(Run&, std::string_view name, const Value& value, const Given& given) {
  if (name == "map") return mapped(value, given);
  if (name == "select") return selected(value, given, false, false);
  if (name == "reject") return selected(value, given, false, true);
  if (name == "selectattr") return selected(value, given, true, false);
  if (name == "rejectattr") return selected(value, given, true, true);
  return Value::of_kind(Kind::missing);
}

}  // namespace attend::chat_template
