// Members, items and slices of values.
#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/known_names.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

Value missing() { return Value::of_kind(Kind::missing); }

Value without(const Value& value, std::string_view name) {
  return Value::undefined(
      fmt::format("{} has no member {}", kind_name(value), quote(std::string(name))));
}

Value loop_attribute(Run& run, const Value& value, std::string_view name) {
  Loop& loop = value.loop();
  if (name == "index") return Value::integer(loop.index0 + 1);
  if (name == "index0") return Value::integer(loop.index0);
  if (name == "depth") return Value::integer(loop.depth0 + 1);
  if (name == "depth0") return Value::integer(loop.depth0);
  if (name == "first") return Value::boolean(loop.index0 == 0);
  if (name == "last") return Value::boolean(loop.peek(run).is_missing());
  if (name == "length") return Value::integer(loop.length_of_all(run));
  if (name == "revindex") return Value::integer(loop.length_of_all(run) - loop.index0);
  if (name == "revindex0") return Value::integer(loop.length_of_all(run) - loop.index0 - 1);
  if (name == "previtem")
    return loop.index0 == 0 ? Value::undefined("there is no previous item") : loop.before;
  if (name == "nextitem") {
    const Value& next = loop.peek(run);
    return next.is_missing() ? Value::undefined("there is no next item") : next;
  }
  return Value::method({value, name});
}

Value macro_attribute(Run& run, const Value& value, std::string_view name) {
  const Statement& macro = *value.macro().statement;
  if (name == "name")
    return macro.type == Statement::Type::macro ? run.text(macro.text) : Value::none();
  if (name == "arguments") {
    Values names;
    for (const std::string& one : macro.names) names.push_back(run.text(one));
    return run.tuple(std::move(names));
  }
  if (name == "caller") return Value::boolean(macro.has_caller);
  if (name == "catch_kwargs") return Value::boolean(macro.has_named);
  if (name == "catch_varargs") return Value::boolean(macro.has_more);
  return Value::boolean(std::count(macro.names.begin(), macro.names.end(), "caller") > 0);
}

Value number_attribute(const Value& value, std::string_view name) {
  if (name == "real" || name == "numerator")
    return value.is_whole() ? Value::integer(value.whole()) : value;
  if (name == "denominator") return Value::integer(1);
  if (name == "imag") return value.is_whole() ? Value::integer(0) : Value::real(0);
  return Value::method({value, name});
}

Value space_attribute(Run& run, const Value& value, std::string_view name) {
  const auto& members = value.space().members;
  run.count_work(members.size());
  for (const auto& [own, member] : members)
    if (own == name) return member;
  return missing();
}

// Where characters begin, and the end.
std::vector<std::size_t> begins_of(std::string_view text) {
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < text.size(); next_code_point(text, at)) begins.push_back(at);
  begins.push_back(text.size());
  return begins;
}

Value character_of(Run& run, const Value& value, std::int64_t index) {
  const std::string& text = value.bytes();
  run.count_work(text.size() * 8);
  const std::vector<std::size_t> begins = begins_of(text);
  const auto size = static_cast<std::int64_t>(begins.size()) - 1;
  if (index < 0) index += size;
  if (index < 0 || index >= size) return missing();
  const auto at = static_cast<std::size_t>(index);
  return run.text(text.substr(begins[at], begins[at + 1] - begins[at]), value.is_markup());
}

// value[key] in Python; missing where it raises an error.
Value plain_item(Run& run, const Value& value, const Value& key) {
  if (value.is(Kind::dict)) {
    if (!is_hashable(key)) return missing();
    const Value* found = member_of(run, value, key);
    return found == nullptr ? missing() : *found;
  }
  if (!key.is_whole()) return missing();
  if (value.is_text()) return character_of(run, value, key.whole());
  if (!value.is_row() && !value.is(Kind::range)) return missing();
  const std::int64_t size = length_of(run, value),
                     index = key.whole() + (key.whole() < 0 ? size : 0);
  if (index < 0 || index >= size) return missing();
  if (value.is(Kind::range))
    return Value::integer(value.range().first + index * value.range().step);
  return value.items()[static_cast<std::size_t>(index)];
}

struct Slice {
  std::int64_t first, stop, step, size;
};

Slice slice_within(const Values& bounds, std::int64_t size) {
  for (const Value& bound : bounds) {
    if (bound.is_undefined()) fail(bound.reason());
    if (!bound.is_whole() && !bound.is_none())
      fail(fmt::format("a slice: expected whole numbers, got {}", kind_name(bound)));
  }
  const std::int64_t step = bounds[2].is_none() ? 1 : bounds[2].whole();
  if (step == 0) fail("a slice: expected a step that is not 0");
  const std::int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
  const auto bound = [&](const Value& given, std::int64_t usual) {
    if (given.is_none()) return usual;
    const std::int64_t value = given.whole();
    if (value < -size) return lowest;  // and no overflow
    return std::clamp(value < 0 ? value + size : value, lowest, highest);
  };
  Slice slice{bound(bounds[0], step > 0 ? lowest : highest),
              bound(bounds[1], step > 0 ? highest : lowest), step, 0};
  const std::int64_t way = step > 0 ? slice.stop - slice.first : slice.first - slice.stop;
  // A step of any size does not overflow.
  if (way > 0) slice.size = step > 0 ? (way - 1) / step + 1 : 1 - (way - 1) / step;
  return slice;
}

}  // namespace

Value own_attribute(Run& run, const Value& value, std::string_view name) {
  if (value.is_undefined()) fail(value.reason());
  if (value.is(Kind::space)) return space_attribute(run, value, name);
  const std::string_view own = attribute_name(value, name);
  if (own.empty()) return missing();
  if (is_changing(value, own))
    return Value::undefined(
        fmt::format("{} of {} would change it, which a template may not", name, kind_name(value)));
  if (value.is(Kind::loop)) return loop_attribute(run, value, own);
  if (value.is(Kind::macro)) return macro_attribute(run, value, own);
  if (value.is_number()) return number_attribute(value, own);
  if (value.is(Kind::range) && own.starts_with("st")) {
    const Range& range = value.range();
    return Value::integer(own == "start" ? range.first : own == "stop" ? range.stop : range.step);
  }
  if (value.is(Kind::iterator)) refuse(fmt::format("{} of an iterator", name));
  return Value::method({value, own});
}

Value attribute_of(Run& run, const Value& value, std::string_view name) {
  run.count_step();
  Value own = own_attribute(run, value, name);
  if (!own.is_missing()) return own;
  if (name.starts_with("__") && value.is(Kind::dict) &&
      !plain_item(run, value, run.text(std::string(name))).is_missing())
    refuse(fmt::format("a member with the name {}", quote(std::string(name))));
  if (name.starts_with("__"))
    return Value::undefined(fmt::format("{} is private", quote(std::string(name))));
  if (value.is(Kind::method) || value.is(Kind::function))
    refuse(fmt::format("{} of a function", quote(std::string(name))));
  Value item = plain_item(run, value, run.text(std::string(name)));
  return item.is_missing() ? without(value, name) : item;
}

Value item_of(Run& run, const Value& value, const Value& key) {
  run.count_step();
  if (value.is_undefined()) fail(value.reason());
  Value item = plain_item(run, value, key);
  if (!item.is_missing()) return item;
  if (key.is_text()) {
    const std::string& name = key.bytes();
    Value own = own_attribute(run, value, name);
    if (!own.is_missing()) return own;
    if (value.is(Kind::method) || value.is(Kind::function))
      refuse(fmt::format("{} of a function", quote(name)));
    return without(value, name);
  }
  return without(value, key.is_number() ? text_of(run, key) : std::string(kind_name(key)));
}

Value slice_of(Run& run, const Value& value, const Values& bounds) {
  if (value.is_undefined()) fail(value.reason());
  // Jinja says that a slice of another constant is undefined, and that of a variable is an error.
  if (!value.is_text() && !value.is_row()) refuse(fmt::format("a slice of {}", kind_name(value)));
  const std::vector<std::size_t> begins =
      value.is_text() ? begins_of(value.bytes()) : std::vector<std::size_t>();
  const std::int64_t size = value.is_text() ? std::ssize(begins) - 1 : std::ssize(value.items());
  run.count_work(value.is_text() ? value.bytes().size() * 8 : 0);
  const Slice slice = slice_within(bounds, size);
  std::string text;
  Values items;
  for (std::int64_t i = 0, at = slice.first; i < slice.size; ++i) {
    const auto place = static_cast<std::size_t>(at);
    if (value.is_text())
      text.append(value.bytes(), begins[place], begins[place + 1] - begins[place]);
    else
      items.push_back(value.items()[place]);
    if (i + 1 < slice.size) at += slice.step;
  }
  if (value.is_text()) return run.text(std::move(text), value.is_markup());
  return value.is(Kind::list) ? run.list(std::move(items)) : run.tuple(std::move(items));
}

}  // namespace attend::chat_template
