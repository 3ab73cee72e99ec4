#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/functions/text_functions.h"
#include "attend/text/chat_template/known_names.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

struct Test {
  std::string_view name;
  std::size_t others;  // values after the first
  bool (*passes)(Run& run, const Value& value, const Value& other);
};

bool has_rest(Run& run, const Value& value, const Value& divisor, std::int64_t rest) {
  return are_equal(run, calculated(run, "%", value, divisor), Value::integer(rest));
}

template <bool upper>
bool is_of_one_case(Run& run, const Value& value, const Value&) {
  const Value text = run.text(text_of(run, value));
  return is_true(run, text_method(run, text, upper ? "isupper" : "islower", {}));
}

bool is_sequence_value(Run&, const Value& v, const Value&) {
  return v.is_undefined() || v.is_text() || v.is_row() || v.is(Kind::dict) || v.is(Kind::range);
}

bool is_callable(Run&, const Value& v, const Value&) {
  return v.is_undefined() || v.is(Kind::macro) || v.is(Kind::method) || v.is(Kind::function) ||
         v.is(Kind::loop);
}

// Small numbers are one object in Python, and what else is depends on how they were made.
bool is_same(Run&, const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::integer:
      if (a.whole() != b.whole()) return false;
      if (a.whole() >= -5 && a.whole() <= 256) return true;
      refuse("the test 'sameas' of large numbers");
    case Kind::real:
      refuse("the test 'sameas' of numbers with a fraction");
    case Kind::text:
      if (a.bytes() != b.bytes()) return false;
      refuse("the test 'sameas' of strings");
    case Kind::tuple:
      if (a.items().empty() && b.items().empty()) return true;
      return a.is_same_object(b);
    case Kind::undefined:
      refuse("the test 'sameas' of undefined values");
    default:
      return a.is_same_object(b);
  }
}

bool is_name(const Value& value, bool (*is_known)(std::string_view)) {
  if (!is_hashable(value)) fail(fmt::format("expected a name, got {}", kind_name(value)));
  return value.is_text() && is_known(value.bytes());
}

template <char first, char second>
bool compares(Run& run, const Value& a, const Value& b) {
  constexpr std::array<char, 2> kSymbol{first, second};
  return compared(run, std::string_view(kSymbol.data(), second == 0 ? 1 : 2), a, b);
}

constexpr auto kTests = std::to_array<Test>({
    {"boolean", 0, [](Run&, const Value& v, const Value&) { return v.is(Kind::boolean); }},
    {"callable", 0, is_callable},
    {"defined", 0, [](Run&, const Value& v, const Value&) { return !v.is_undefined(); }},
    {"divisibleby", 1,
     [](Run& run, const Value& v, const Value& other) { return has_rest(run, v, other, 0); }},
    {"escaped", 0, [](Run&, const Value& v, const Value&) { return v.is_markup(); }},
    {"even", 0,
     [](Run& run, const Value& v, const Value&) { return has_rest(run, v, Value::integer(2), 0); }},
    {"false", 0,
     [](Run&, const Value& v, const Value&) { return v.is(Kind::boolean) && v.whole() == 0; }},
    {"filter", 0, [](Run&, const Value& v, const Value&) { return is_name(v, is_filter_name); }},
    {"float", 0, [](Run&, const Value& v, const Value&) { return v.is(Kind::real); }},
    {"in", 1,
     [](Run& run, const Value& v, const Value& all) { return compared(run, "in", v, all); }},
    {"integer", 0, [](Run&, const Value& v, const Value&) { return v.is(Kind::integer); }},
    {"iterable", 0, [](Run&, const Value& v, const Value&) { return is_iterable(v); }},
    {"lower", 0, is_of_one_case<false>},
    {"mapping", 0, [](Run&, const Value& v, const Value&) { return v.is(Kind::dict); }},
    {"none", 0, [](Run&, const Value& v, const Value&) { return v.is_none(); }},
    {"number", 0, [](Run&, const Value& v, const Value&) { return v.is_number(); }},
    {"odd", 0,
     [](Run& run, const Value& v, const Value&) { return has_rest(run, v, Value::integer(2), 1); }},
    {"sameas", 1, is_same},
    {"sequence", 0, is_sequence_value},
    {"string", 0, [](Run&, const Value& v, const Value&) { return v.is_text(); }},
    {"test", 0, [](Run&, const Value& v, const Value&) { return is_name(v, is_test_name); }},
    {"true", 0,
     [](Run&, const Value& v, const Value&) { return v.is(Kind::boolean) && v.whole() != 0; }},
    {"undefined", 0, [](Run&, const Value& v, const Value&) { return v.is_undefined(); }},
    {"upper", 0, is_of_one_case<true>},
    {"==", 1, compares<'=', '='>},
    {"eq", 1, compares<'=', '='>},
    {"equalto", 1, compares<'=', '='>},
    {"!=", 1, compares<'!', '='>},
    {"ne", 1, compares<'!', '='>},
    {">", 1, compares<'>', 0>},
    {"gt", 1, compares<'>', 0>},
    {"greaterthan", 1, compares<'>', 0>},
    {">=", 1, compares<'>', '='>},
    {"ge", 1, compares<'>', '='>},
    {"<", 1, compares<'<', 0>},
    {"lt", 1, compares<'<', 0>},
    {"lessthan", 1, compares<'<', 0>},
    {"<=", 1, compares<'<', '='>},
    {"le", 1, compares<'<', '='>},
});

}  // namespace

bool passes_test(Run& run, std::string_view name, const Value& value, const Given& given) {
  run.count_step();
  const auto test =
      std::find_if(kTests.begin(), kTests.end(), [&](const Test& one) { return one.name == name; });
  if (test == kTests.end()) fail(fmt::format("there is no test {}", quote(std::string(name))));
  if (!given.by_name.empty()) {
    const bool takes_name = (name == "divisibleby" && given.by_name[0].first == "num") ||
                            (name == "sameas" && given.by_name[0].first == "other") ||
                            (name == "in" && given.by_name[0].first == "seq");
    if (!takes_name || given.by_name.size() > 1 || !given.by_position.empty())
      fail(fmt::format("{}: there is no parameter {}", name, given.by_name[0].first));
    return test->passes(run, value, given.by_name[0].second);
  }
  if (given.by_position.size() != test->others)
    fail(fmt::format("{}: expected {} values, got {}", name, test->others,
                     given.by_position.size()));
  return test->passes(run, value, test->others > 0 ? given.by_position[0] : value);
}

}  // namespace attend::chat_template
