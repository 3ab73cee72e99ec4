#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/known_names.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

Value missing_value() { return Value::of_kind(Kind::missing); }

Value length(Run& run, const Value& value, const Bound&) {
  const std::int64_t size = length_of(run, value);
  if (size < 0) fail(fmt::format("length: expected a list or a string, got {}", kind_name(value)));
  return Value::integer(size);
}

Value default_value(Run& run, const Value& value, const Bound& bound) {
  const bool is_missing = value.is_undefined() || (bound.truth(run, 1) && !is_true(run, value));
  return is_missing ? bound.at(0, Value::text("")) : value;
}

Value first(Run& run, const Value& value, const Bound&) {
  Iteration iteration(value);
  Value item;
  return iteration.next(run, item) ? item : Value::undefined("there is no first item");
}

Value last(Run& run, const Value& value, const Bound&) {
  if (!is_reversible(value))
    fail(fmt::format("last: expected a list or a string, got {}", kind_name(value)));
  Iteration iteration(value);
  Value item;
  return iteration.previous(run, item) ? item : Value::undefined("there is no last item");
}

Value to_list(Run& run, const Value& value, const Bound&) { return run.list(items_of(run, value)); }

Value iterator_of(Values items) {
  int depth = 1;
  for (const Value& item : items) depth = std::max(depth, item.depth());
  auto rest = std::make_shared<std::pair<Values, std::size_t>>(std::move(items), 0);
  return Value::iterator(
      [rest](Run&, Value& next) {
        if (rest->second >= rest->first.size()) return false;
        next = rest->first[rest->second++];
        return true;
      },
      depth);
}

Value items(Run& run, const Value& value, const Bound&) {
  if (!value.is_undefined() && !value.is(Kind::dict)) {
    return Value::iterator([](Run&, Value&) -> bool { fail("items: expected an object"); }, 1);
  }
  return value.is_undefined() ? iterator_of({})
                              : iterator_of(items_of(run, Value::view({value, ViewKind::items})));
}

Value reverse(Run& run, const Value& value, const Bound&) {
  if (!is_iterable(value))
    fail(fmt::format("reverse: expected a list or a string, got {}", kind_name(value)));
  if (!is_reversible(value)) {
    Values all = items_of(run, value);
    std::reverse(all.begin(), all.end());
    return run.list(std::move(all));
  }
  Values all;
  Iteration iteration(value);
  for (Value item; iteration.previous(run, item);) all.push_back(item);
  if (!value.is_text()) return iterator_of(std::move(all));
  std::string text;
  for (const Value& one : all) text += one.bytes();
  return run.text(std::move(text), value.is_markup());
}

Value join(Run& run, const Value& value, const Bound& bound) {
  const AttributePath path(run, bound.at(1));
  const std::string separator = bound.has(0) ? text_of(run, bound.at(0)) : "";
  std::string text;
  Iteration iteration(value);
  bool is_first = true;
  for (Value item; iteration.next(run, item); is_first = false) {
    if (!is_first) text += separator;
    text += text_of(run, path.of(run, item, missing_value()));
    run.count_work(separator.size());
    Run::require_size(text.size());
  }
  return run.text(std::move(text));
}

// Sorts by keys, the later ones first if reversed; equal ones keep their order.
Values sorted_by(Run& run, const Values& items, const Values& keys, bool is_reversed) {
  std::vector<std::size_t> order(items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return is_reversed ? is_less(run, keys[b], keys[a]) : is_less(run, keys[a], keys[b]);
  });
  Values result;
  for (const std::size_t i : order) result.push_back(items[i]);
  return result;
}

// "a,b": one key of several.
std::vector<AttributePath> paths_of(Run& run, const Value& attribute) {
  std::vector<AttributePath> paths;
  if (!attribute.is_text()) return {AttributePath(run, attribute)};
  const std::string& all = attribute.bytes();
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(',', at), all.size());
    paths.emplace_back(run, run.text(all.substr(at, end - at)));
    at = end + 1;
  }
  return paths;
}

Value sort(Run& run, const Value& value, const Bound& bound) {
  const Values all = items_of(run, value);
  const std::vector<AttributePath> paths = paths_of(run, bound.at(2));
  Values keys;
  for (const Value& item : all) {
    Values parts;
    for (const AttributePath& path : paths)
      parts.push_back(sort_key(run, path.of(run, item, missing_value()), bound.truth(run, 1)));
    keys.push_back(run.list(std::move(parts)));
  }
  return run.list(sorted_by(run, all, keys, bound.number(0, 0) != 0));
}

Value sort_dict(Run& run, const Value& value, const Bound& bound) {
  const std::string by = bound.text(1, "key");
  if (by != "key" && by != "value") fail("dictsort: expected to sort by key or value");
  if (value.is_undefined()) fail(value.reason());
  if (!value.is(Kind::dict))
    fail(fmt::format("dictsort: expected an object, got {}", kind_name(value)));
  const Values pairs = items_of(run, Value::view({value, ViewKind::items}));
  Values keys;
  for (const Value& pair : pairs)
    keys.push_back(sort_key(run, pair.items()[by == "key" ? 0 : 1], bound.truth(run, 0)));
  return run.list(sorted_by(run, pairs, keys, bound.number(2, 0) != 0));
}

Value group(Run& run, const Value& value, const Bound& bound) {
  const AttributePath path(run, bound.at(0));
  const Value otherwise = bound.at(1);
  const bool has_case = bound.truth(run, 2);
  const Values all = items_of(run, value);
  Values keys;
  for (const Value& item : all)
    keys.push_back(sort_key(run, path.of(run, item, otherwise), has_case));
  const Values order = sorted_by(run, all, keys, false);
  Values groups, members;
  Value key, name;
  const auto add_group = [&] {
    if (!members.empty()) groups.push_back(run.tuple({name, run.list(std::exchange(members, {}))}));
  };
  for (const Value& item : order) {
    const Value own = path.of(run, item, otherwise), own_key = sort_key(run, own, has_case);
    if (members.empty() || !are_equal(run, key, own_key)) {
      add_group();
      key = own_key;
      name = own;
    }
    members.push_back(item);
  }
  add_group();
  return run.list(std::move(groups));
}

Value unique(Run& run, const Value& value, const Bound& bound) {
  struct Seen {
    Iteration iteration;
    AttributePath path;
    Values keys = {};
  };
  const bool has_case = bound.truth(run, 0);
  auto seen = std::make_shared<Seen>(Seen{Iteration(value), AttributePath(run, bound.at(1))});
  return Value::iterator(
      [seen, has_case](Run& within, Value& next) {
        while (seen->iteration.next(within, next)) {
          Value key = sort_key(within, seen->path.of(within, next, missing_value()), has_case);
          if (!is_hashable(key)) fail("unique: expected strings or numbers");
          const auto is_same = [&](const Value& one) { return are_equal(within, one, key); };
          if (std::any_of(seen->keys.begin(), seen->keys.end(), is_same)) continue;
          seen->keys.push_back(std::move(key));
          return true;
        }
        return false;
      },
      value.depth());
}

template <bool greatest>
Value extreme(Run& run, const Value& value, const Bound& bound) {
  const AttributePath path(run, bound.at(1));
  Iteration iteration(value);
  Value best = Value::undefined("there are no items"), best_key;
  bool is_first = true;
  for (Value item; iteration.next(run, item); is_first = false) {
    Value key = sort_key(run, path.of(run, item, missing_value()), bound.truth(run, 0));
    if (!is_first && !(greatest ? is_less(run, best_key, key) : is_less(run, key, best_key)))
      continue;
    best = item;
    best_key = std::move(key);
  }
  return best;
}

Value sum(Run& run, const Value& value, const Bound& bound) {
  const AttributePath path(run, bound.at(0));
  Value total = bound.at(1, Value::integer(0));
  if (total.is_text()) fail("sum: expected numbers");
  Iteration iteration(value);
  for (Value item; iteration.next(run, item);)
    total = calculated(run, "+", total, path.of(run, item, missing_value()));
  return total;
}

Value batch(Run& run, const Value& value, const Bound& bound) {
  if (!is_iterable(value))
    return Value::iterator([](Run&, Value&) -> bool { fail("batch: expected a list"); }, 1);
  const Value size = bound.at(0), filler = bound.at(1, Value::none());
  Values groups, group;
  for (const Value& item : items_of(run, value)) {
    if (size.is_number() && are_equal(run, Value::integer(std::ssize(group)), size)) {
      groups.push_back(run.list(std::exchange(group, {})));
    }
    group.push_back(item);
  }
  if (!group.empty()) {
    if (!filler.is_none()) {
      const std::int64_t missing = bound.whole(0, 0) - std::ssize(group);
      Run::require_size(static_cast<std::size_t>(std::max(missing, std::int64_t{0})) *
                        kWeightOfValue);
      for (std::int64_t i = 0; i < missing; ++i) group.push_back(filler);
    }
    groups.push_back(run.list(std::move(group)));
  }
  return iterator_of(std::move(groups));
}

Value slice(Run& run, const Value& value, const Bound& bound) {
  const Values all = items_of(run, value);
  const std::int64_t count = bound.whole(0, 0);
  const Value filler = bound.at(1, Value::none());
  if (count == 0) fail("slice: division by zero");
  Run::require_size(static_cast<std::size_t>(std::max(count, std::int64_t{0})) * kWeightOfValue);
  const std::int64_t size = std::ssize(all), each = count > 0 ? size / count : 0,
                     longer = count > 0 ? size % count : 0;
  Values columns;
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t end = begin + each + (i < longer ? 1 : 0);
    Values column(all.begin() + begin, all.begin() + end);
    if (!filler.is_none() && i >= longer) column.push_back(filler);
    columns.push_back(run.list(std::move(column)));
    begin = end;
  }
  return iterator_of(std::move(columns));
}

Value attribute(Run& run, const Value& value, const Bound& bound) {
  const std::string& name = bound.text(0);
  if (value.is_undefined()) fail(value.reason());
  if (name.starts_with("_")) refuse("attr of a private name");
  Value own = own_attribute(run, value, name);
  return own.is_missing() ? Value::undefined(fmt::format("there is no {}", quote(name))) : own;
}

constexpr auto kListFilters = std::to_array<Filter>({
    {"attr", "name", 1, attribute},
    {"batch", "linecount fill_with", 1, batch},
    {"count", "/", 0, length},
    {"d", "default_value boolean", 0, default_value},
    {"default", "default_value boolean", 0, default_value},
    {"dictsort", "case_sensitive by reverse", 0, sort_dict},
    {"first", "", 0, first},
    {"groupby", "attribute default case_sensitive", 1, group},
    {"items", "", 0, items},
    {"join", "d attribute", 0, join},
    {"last", "", 0, last},
    {"length", "/", 0, length},
    {"list", "", 0, to_list},
    {"max", "case_sensitive attribute", 0, extreme<true>},
    {"min", "case_sensitive attribute", 0, extreme<false>},
    {"reverse", "", 0, reverse},
    {"slice", "slices fill_with", 1, slice},
    {"sort", "reverse case_sensitive attribute", 0, sort},
    {"sum", "attribute start", 0, sum},
    {"unique", "case_sensitive attribute", 0, unique},
});

}  // namespace

const Filter* list_filter(std::string_view name) {
  const auto found = std::find_if(kListFilters.begin(), kListFilters.end(),
                                  [&](const Filter& one) { return one.name == name; });
  return found == kListFilters.end() ? nullptr : &*found;
}

}  // namespace attend::chat_template
