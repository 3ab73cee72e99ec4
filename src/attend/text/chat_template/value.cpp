#include "attend/text/chat_template/value.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/error.h"

namespace attend::chat_template {
namespace {

int deeper(int depth) {
  if (depth >= kDeepestValue) throw DataError("it makes a value that is nested too deeply");
  return depth + 1;
}

List list_of(Values items) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  return {std::move(items), deeper(depth)};
}

}  // namespace

Value Value::undefined(std::string reason) {
  return Value(Kind::undefined, Text{std::move(reason)});
}

Value Value::boolean(bool value) {
  Value result(Kind::boolean);
  result.whole_ = value ? 1 : 0;
  return result;
}

Value Value::integer(std::int64_t value) {
  Value result(Kind::integer);
  result.whole_ = value;
  return result;
}

Value Value::real(double value) {
  Value result(Kind::real);
  result.real_ = value;
  return result;
}

Value Value::text(std::string bytes, bool is_markup) {
  return Value(Kind::text, Text{std::move(bytes), is_markup});
}

Value Value::list(Values items) { return Value(Kind::list, list_of(std::move(items))); }
Value Value::tuple(Values items) { return Value(Kind::tuple, list_of(std::move(items))); }

Value Value::dict(Items items) {
  int depth = 0;
  for (const auto& [key, item] : items) depth = std::max({depth, key.depth(), item.depth()});
  return Value(Kind::dict, Dict{std::move(items), deeper(depth)});
}

Value Value::range(Range range) { return Value(Kind::range, range); }
Value Value::view(View view) { return Value(Kind::view, std::move(view)); }

Value Value::method(Method method) {
  deeper(method.self.depth());
  return Value(Kind::method, std::move(method));
}

Value Value::function(std::string_view name) { return Value(Kind::function, name); }

Value Value::iterator(std::function<bool(Run&, Value&)> next, int depth) {
  return Value(Kind::iterator, Iterator{std::move(next), deeper(depth)});
}

Value Value::space(Space* space) {
  Value result(Kind::space);
  result.pointer_ = space;
  return result;
}

Value Value::macro(const Macro* macro) {
  Value result(Kind::macro);
  result.pointer_ = const_cast<Macro*>(macro);
  return result;
}

Value Value::loop(Loop* loop) {
  Value result(Kind::loop);
  result.pointer_ = loop;
  return result;
}

const View& Value::view() const { return as<View>(); }
const Method& Value::method() const { return as<Method>(); }
std::string_view Value::function_name() const { return as<std::string_view>(); }

std::string Value::reason() const {
  return object_ ? as<Text>().bytes : std::string("a value is not defined");
}

int Value::depth() const {
  if (is_row()) return as<List>().depth;
  if (kind_ == Kind::dict) return as<Dict>().depth;
  if (kind_ == Kind::view) return view().dict.depth() + 1;
  if (kind_ == Kind::method) return method().self.depth() + 1;
  return kind_ == Kind::iterator ? iterator().depth : 1;
}

bool Value::is_same_object(const Value& other) const {
  if (kind_ != other.kind_) return false;
  if (object_) return object_ == other.object_;
  return whole_ == other.whole_;
}

std::string_view kind_name(const Value& value) {
  switch (value.kind()) {
    case Kind::missing:
    case Kind::undefined:
      return "an undefined value";
    case Kind::none:
      return "none";
    case Kind::boolean:
      return "a truth";
    case Kind::integer:
    case Kind::real:
      return "a number";
    case Kind::text:
      return "a string";
    case Kind::list:
      return "a list";
    case Kind::tuple:
      return "a tuple";
    case Kind::dict:
      return "an object";
    case Kind::range:
      return "a range";
    case Kind::view:
      return "a view of an object";
    case Kind::iterator:
      return "an iterator";
    case Kind::space:
      return "a namespace";
    case Kind::loop:
      return "a loop";
    default:
      return "a function";
  }
}

void refuse(std::string_view what) { throw DataError(fmt::format("{} is not supported", what)); }
void fail(std::string_view reason) { throw DataError(std::string(reason)); }

}  // namespace attend::chat_template
