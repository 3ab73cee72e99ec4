#include "attend/text/chat_template/functions/functions.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/text/chat_template/functions/text_functions.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

constexpr std::int64_t kLongestRange = 100'000;  // as in Jinja's sandbox

Value make_range(const Given& given) {
  const Bound bound("range", "/first last step", 1, given);
  for (std::size_t i = 0; i < 3; ++i)
    if (bound.has(i) && !bound.at(i).is_whole())
      fail(fmt::format("range: expected whole numbers, got {}", kind_name(bound.at(i))));
  Range range{bound.has(1) ? bound.whole(0, 0) : 0, bound.whole(bound.has(1) ? 1 : 0, 0),
              bound.whole(2, 1)};
  if (range.step == 0) fail("range: expected a step that is not 0");
  std::int64_t way = 0;
  const bool is_up = range.step > 0;
  if (__builtin_sub_overflow(is_up ? range.stop : range.first, is_up ? range.first : range.stop,
                             &way))
    fail(fmt::format("range: expected at most {} numbers", kLongestRange));
  if (way > 0) range.size = is_up ? (way - 1) / range.step + 1 : 1 - (way - 1) / range.step;
  if (range.size > kLongestRange)
    fail(fmt::format("range: expected at most {} numbers", kLongestRange));
  return Value::range(range);
}

// dict(pairs or an object, name=value, ...).
Items make_members(Run& run, const Given& given) {
  Items members;
  if (given.by_position.size() > 1) fail("dict: expected at most one value");
  for (const Value& first : given.by_position) {
    if (first.is(Kind::dict)) {
      members = first.members();
      continue;
    }
    for (const Value& pair : items_of(run, first)) {
      const Values both = items_of(run, pair);
      if (both.size() != 2) fail("dict: expected pairs of values");
      put(run, members, both[0], both[1]);
    }
  }
  for (const auto& [name, value] : given.by_name) put(run, members, run.text(name), value);
  return members;
}

void require_public(const std::string& name) {
  if (name.starts_with('_'))
    fail(fmt::format("namespace: expected a name without \"_\" before it, got {}", quote(name)));
}

Value make_namespace(Run& run, const Given& given) {
  Space& space = run.make_space();
  for (const auto& [name, value] : make_members(run, given)) {
    if (!name.is_text()) refuse("a namespace with names that are no strings");
    require_public(name.bytes());
    space.members.emplace_back(name.bytes(), value);
  }
  return Value::space(&space);
}

// What the C library writes, but for the directives that Python writes itself.
Value date(Run& run, const Given& given) {
  const Bound bound("strftime_now", "format", 1, given);
  std::string format;
  std::tm now{};
  timeval time{};
  gettimeofday(&time, nullptr);
  localtime_r(&time.tv_sec, &now);
  if (run.now) {
    now = *run.now;
    time.tv_usec = 0;
  }
  const std::string& wanted = bound.text(0);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == '\0') refuse("a date with a zero byte");
    const char next = i + 1 < wanted.size() ? wanted[i + 1] : ' ';
    if (wanted[i] != '%' || next == '%' || i + 1 == wanted.size()) {
      format += wanted[i];
      if (wanted[i] == '%' && next == '%') format += wanted[++i];
      continue;
    }
    const bool is_plain = (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    if (!is_plain) refuse(fmt::format("the date format {}", quote(wanted.substr(i, 2))));
    ++i;
    if (next == 'f') format += fmt::format("{:06}", time.tv_usec);
    if (next != 'f' && next != 'z' && next != 'Z') format += {'%', next};
  }
  if (format.empty()) return run.text("");
  std::array<char, 4096> buffer{};
  static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  const std::size_t size = strftime_l(buffer.data(), buffer.size(), format.c_str(), &now, plain);
  if (size == 0) refuse("such a date");
  return run.text(std::string(buffer.data(), size));
}

Value list_method(Run& run, const Value& self, std::string_view name, const Given& given) {
  if (name == "copy") {
    Bound("copy", "/", 0, given);
    return run.list(self.items());
  }
  const Bound bound(name, name == "count" ? "/value" : "/value first last", 1, given);
  if (bound.size() > 1 && (bound.has(1) || bound.has(2))) refuse("index with bounds");
  std::int64_t count = 0;
  const Values items = items_of(run, self);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!are_equal(run, items[i], bound.at(0))) continue;
    if (name == "index") return Value::integer(static_cast<std::int64_t>(i));
    ++count;
  }
  if (name == "index") fail("index: the list does not have it");
  return Value::integer(count);
}

Value dict_method(Run& run, const Value& self, std::string_view name, const Given& given) {
  if (name == "get") {
    const Bound bound("get", "/name default", 1, given);
    const Value* found = member_of(run, self, bound.at(0));
    return found != nullptr ? *found : bound.at(1, Value::none());
  }
  if (name == "fromkeys") refuse("the method fromkeys");
  Bound(name, "/", 0, given);
  if (name == "keys") return Value::view({self, ViewKind::keys});
  if (name == "values") return Value::view({self, ViewKind::values});
  return name == "items" ? Value::view({self, ViewKind::items}) : run.dict(self.members());
}

Value number_method(const Value& self, std::string_view name, const Given& given) {
  Bound(name, "/", 0, given);
  if (name == "is_integer")
    return Value::boolean(std::isfinite(self.real()) && std::floor(self.real()) == self.real());
  if (name == "conjugate") return self.is_whole() ? Value::integer(self.whole()) : self;
  if (name != "bit_length" || !self.is_whole())
    refuse(fmt::format("the method {} of numbers", name));
  std::int64_t bits = 0;
  for (std::uint64_t rest = static_cast<std::uint64_t>(std::abs(self.whole())); rest > 0;
       rest >>= 1)
    ++bits;
  return Value::integer(bits);
}

Value loop_method(Run& run, const Value& self, std::string_view name, const Given& given) {
  Loop& loop = self.loop();
  if (!given.by_name.empty()) fail(fmt::format("{}: expected values by position", name));
  if (name == "changed") {
    Value values = run.tuple(given.by_position);
    if (!loop.last_changed.is_missing() && are_equal(run, loop.last_changed, values))
      return Value::boolean(false);
    loop.last_changed = std::move(values);
    return Value::boolean(true);
  }
  if (given.by_position.empty()) fail("cycle: expected values");
  const auto at = static_cast<std::size_t>(loop.index0) % given.by_position.size();
  return given.by_position[at];
}

Value method_result(Run& run, const Method& method, const Given& given) {
  const Value& self = method.self;
  if (self.is_text()) return text_method(run, self, method.name, given);
  if (self.is(Kind::dict)) return dict_method(run, self, method.name, given);
  if (self.is_row() || self.is(Kind::range)) return list_method(run, self, method.name, given);
  if (self.is_number()) return number_method(self, method.name, given);
  if (self.is(Kind::loop)) return loop_method(run, self, method.name, given);
  refuse(fmt::format("the method {} of {}", method.name, kind_name(self)));
}

constexpr auto kFunctions =
    std::to_array<std::string_view>({"cycler", "dict", "joiner", "lipsum", "namespace",
                                     "raise_exception", "range", "self", "strftime_now"});

}  // namespace

Value function_result(Run& run, const Value& function, const Given& given) {
  if (function.is(Kind::method)) return method_result(run, function.method(), given);
  const std::string_view name = function.function_name();
  if (name == "range") return make_range(given);
  if (name == "dict") return run.dict(make_members(run, given));
  if (name == "namespace") return make_namespace(run, given);
  if (name == "strftime_now") return date(run, given);
  if (name != "raise_exception") refuse(fmt::format("the function {}", quote(std::string(name))));
  const Bound bound("raise_exception", "message", 1, given);
  throw DataError(text_of(run, bound.at(0)));
}

Value global_function(std::string_view name) {
  const auto found = std::find(kFunctions.begin(), kFunctions.end(), name);
  return found == kFunctions.end() ? Value::of_kind(Kind::missing) : Value::function(*found);
}

}  // namespace attend::chat_template
