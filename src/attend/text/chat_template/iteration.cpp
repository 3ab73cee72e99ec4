#include "attend/text/chat_template/iteration.h"

#include <fmt/format.h>

#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/run.h"

namespace attend::chat_template {
namespace {

std::size_t size_of_row(const Value& all) {
  switch (all.kind()) {
    case Kind::list:
    case Kind::tuple:
      return all.items().size();
    case Kind::dict:
      return all.members().size();
    case Kind::view:
      return all.view().dict.members().size();
    case Kind::range:
      return static_cast<std::size_t>(all.range().size);
    default:
      return 0;
  }
}

}  // namespace

Iteration::Iteration(Value all) : all_(std::move(all)) {
  if (all_.is(Kind::loop)) refuse("going through loop");
  if (!is_iterable(all_)) fail(fmt::format("expected a list, got {}", kind_name(all_)));
}

bool Iteration::next(Run& run, Value& item) {
  run.count_step();
  if (all_.is(Kind::iterator)) return all_.iterator().next(run, item);
  if (all_.is_text()) {
    const std::string& text = all_.bytes();
    if (at_ >= text.size()) return false;
    const std::size_t begin = at_;
    next_code_point(text, at_);
    item = run.text(text.substr(begin, at_ - begin));
    return true;
  }
  if (at_ >= size_of_row(all_)) return false;
  item = item_at(run, at_++);
  return true;
}

bool Iteration::previous(Run& run, Value& item) {
  run.count_step();
  if (all_.is_text()) {
    const std::string& text = all_.bytes();
    if (taken_ >= text.size()) return false;
    const std::size_t end = text.size() - taken_, begin = begin_of_character_before(text, end);
    taken_ += end - begin;
    item = run.text(text.substr(begin, end - begin), all_.is_markup());
    return true;
  }
  if (taken_ >= size_of_row(all_)) return false;
  item = item_at(run, size_of_row(all_) - ++taken_);
  return true;
}

Value Iteration::item_at(Run& run, std::size_t position) const {
  if (all_.is_row()) return all_.items()[position];
  if (all_.is(Kind::range))
    return Value::integer(all_.range().first +
                          static_cast<std::int64_t>(position) * all_.range().step);
  if (all_.is(Kind::dict)) return all_.members()[position].first;
  const auto& [key, value] = all_.view().dict.members()[position];
  if (all_.view().kind == ViewKind::items) return run.tuple({key, value});
  return all_.view().kind == ViewKind::keys ? key : value;
}

bool is_iterable(const Value& value) {
  return is_reversible(value) || value.is(Kind::iterator) || value.is(Kind::loop);
}

bool is_reversible(const Value& value) {
  return value.is_undefined() || value.is_text() || value.is_row() || value.is(Kind::dict) ||
         value.is(Kind::view) || value.is(Kind::range);
}

std::int64_t length_of(Run& run, const Value& value) {
  if (value.is_text()) {
    run.count_work(value.bytes().size() * 4);
    return static_cast<std::int64_t>(count_code_points(value.bytes()));
  }
  if (value.is(Kind::loop)) return value.loop().length_of_all(run);
  return is_reversible(value) ? static_cast<std::int64_t>(size_of_row(value)) : -1;
}

Values items_of(Run& run, const Value& all) {
  Values items;
  Iteration iteration(all);
  for (Value item; iteration.next(run, item);) {
    items.push_back(item);
    Run::require_size(items.size() * kWeightOfValue);
  }
  return items;
}

}  // namespace attend::chat_template
