#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/text/chat_template/operators.h"

namespace attend::chat_template {
namespace {

// -1, 0, 1; 2 if one of them is no number.
int order_of_numbers(const Value& a, const Value& b) {
  if (a.is_whole() && b.is_whole())
    return a.whole() < b.whole() ? -1 : (a.whole() > b.whole() ? 1 : 0);
  const auto exact = [](const Value& value) {
    return value.is_whole() ? static_cast<long double>(value.whole())
                            : static_cast<long double>(value.real());
  };
  const long double x = exact(a), y = exact(b);
  if (std::isnan(x) || std::isnan(y)) return 2;
  return x < y ? -1 : (x > y ? 1 : 0);
}

bool are_equal_dicts(Run& run, const Items& a, const Value& b) {
  if (a.size() != b.members().size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const auto& member) {
    const Value* other = member_of(run, b, member.first);
    return other != nullptr && are_equal(run, member.second, *other);
  });
}

bool are_equal_ranges(const Range& a, const Range& b) {
  return a.size == b.size &&
         (a.size == 0 || (a.first == b.first && (a.size == 1 || a.step == b.step)));
}

// The first place where two rows differ decides.
bool is_less_row(Run& run, const Values& a, const Values& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (!are_equal(run, a[i], b[i])) return is_less(run, a[i], b[i]);
  return a.size() < b.size();
}

bool contains(Run& run, const Value& all, const Value& one) {
  if (all.is_text()) {
    if (!one.is_text())
      fail(fmt::format("in: expected a string to look for, got {}", kind_name(one)));
    run.count_search(all.bytes().size(), one.bytes().size());
    return all.bytes().find(one.bytes()) != std::string::npos;
  }
  if (all.is(Kind::dict)) return member_of(run, all, one) != nullptr;
  if (!is_iterable(all)) fail(fmt::format("in: expected a list, got {}", kind_name(all)));
  Iteration iteration(all);
  for (Value item; iteration.next(run, item);)
    if (are_equal(run, item, one)) return true;
  return false;
}

}  // namespace

bool is_true(Run& run, const Value& value) {
  switch (value.kind()) {
    case Kind::missing:
    case Kind::undefined:
    case Kind::none:
      return false;
    case Kind::boolean:
    case Kind::integer:
      return value.whole() != 0;
    case Kind::real:
      return value.real() != 0;
    case Kind::text:
      return !value.bytes().empty();
    case Kind::list:
    case Kind::tuple:
    case Kind::dict:
    case Kind::range:
    case Kind::view:
    case Kind::loop:
      return length_of(run, value) > 0;
    default:
      return true;
  }
}

bool are_equal(Run& run, const Value& a, const Value& b) {
  run.count_step();
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::undefined:
    case Kind::none:
      return true;
    case Kind::text:
      run.count_work(std::min(a.bytes().size(), b.bytes().size()));
      return a.bytes() == b.bytes();
    case Kind::list:
    case Kind::tuple:
      return a.items().size() == b.items().size() &&
             std::equal(a.items().begin(), a.items().end(), b.items().begin(),
                        [&](const Value& x, const Value& y) { return are_equal(run, x, y); });
    case Kind::dict:
      return are_equal_dicts(run, a.members(), b);
    case Kind::range:
      return are_equal_ranges(a.range(), b.range());
    case Kind::view:
      if (a.view().kind != ViewKind::values || b.view().kind != ViewKind::values)
        refuse("a comparison of the names of objects");
      return a.is_same_object(b);
    case Kind::method:
      refuse("a comparison of functions");
    case Kind::function:
      return a.function_name() == b.function_name();
    default:
      return a.is_same_object(b);
  }
}

bool is_less(Run& run, const Value& a, const Value& b) {
  run.count_step();
  if (a.is_undefined() || b.is_undefined()) fail((a.is_undefined() ? a : b).reason());
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b) == -1;
  if (a.is_text() && b.is_text()) {
    run.count_work(std::min(a.bytes().size(), b.bytes().size()));
    return a.bytes() < b.bytes();  // the order of UTF-8 is that of code points
  }
  if (a.is_row() && a.kind() == b.kind()) return is_less_row(run, a.items(), b.items());
  if (a.is(Kind::view) && b.is(Kind::view)) refuse("a comparison of the names of objects");
  fail(fmt::format("cannot compare {} and {}", kind_name(a), kind_name(b)));
}

bool compared(Run& run, std::string_view symbol, const Value& a, const Value& b) {
  if (symbol == "==") return are_equal(run, a, b);
  if (symbol == "!=") return !are_equal(run, a, b);
  if (symbol == "in") return contains(run, b, a);
  if (symbol == "not in") return !contains(run, b, a);
  if (symbol == "<") return is_less(run, a, b);
  if (symbol == ">") return is_less(run, b, a);
  const bool is_at_most = symbol == "<=";
  const bool is_above = is_at_most ? is_less(run, b, a) : is_less(run, a, b);
  const bool are_numbers = a.is_number() && b.is_number();
  return !is_above && (!are_numbers || order_of_numbers(a, b) != 2);
}

bool is_hashable(const Value& value) {
  if (value.is(Kind::tuple))
    return std::all_of(value.items().begin(), value.items().end(), is_hashable);
  if (value.is(Kind::view)) return value.view().kind == ViewKind::values;
  return !value.is(Kind::list) && !value.is(Kind::dict);
}

const Value* member_of(Run& run, const Value& dict, const Value& key) {
  if (!is_hashable(key)) fail(fmt::format("expected a name, got {}", kind_name(key)));
  const Items& members = dict.members();
  run.count_work(members.size());
  for (const auto& [name, value] : members) {
    const bool are_texts = key.is_text() && name.is_text();
    if (are_texts ? key.bytes() == name.bytes()
                  : key.is_text() == name.is_text() && are_equal(run, key, name))
      return &value;
  }
  return nullptr;
}

void put(Run& run, Items& items, Value key, Value value) {
  if (!is_hashable(key)) fail(fmt::format("expected a name, got {}", kind_name(key)));
  run.count_work(items.size());
  for (auto& [name, old] : items) {
    if (key.is_text() != name.is_text() || !are_equal(run, key, name)) continue;
    old = std::move(value);
    return;
  }
  items.emplace_back(std::move(key), std::move(value));
}

}  // namespace attend::chat_template
