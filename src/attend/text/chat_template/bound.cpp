#include "attend/text/chat_template/bound.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/operators.h"

namespace attend::chat_template {
namespace {

std::vector<std::string_view> words_in(std::string_view names) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t end = std::min(names.find(' ', at), names.size());
    words.push_back(names.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

Bound::Bound(std::string_view function, std::string_view names, std::size_t required,
             const Given& given)
    : function_(function) {
  const bool has_names = !names.starts_with('/');
  const std::vector<std::string_view> parameters = words_in(has_names ? names : names.substr(1));
  values_.assign(parameters.size(), Value::of_kind(Kind::missing));
  if (given.by_position.size() > parameters.size())
    fail(fmt::format("{}: expected at most {} values, got {}", function, parameters.size(),
                     given.by_position.size()));
  std::copy(given.by_position.begin(), given.by_position.end(), values_.begin());
  for (const auto& [name, value] : given.by_name) {
    const auto found = std::find(parameters.begin(), parameters.end(), name);
    if (!has_names || found == parameters.end())
      fail(fmt::format("{}: there is no parameter {}", function, quote(name)));
    Value& slot = values_[static_cast<std::size_t>(found - parameters.begin())];
    if (!slot.is_missing()) fail(fmt::format("{}: {} is given twice", function, name));
    slot = value;
  }
  for (std::size_t i = 0; i < required; ++i)
    if (!has(i)) fail(fmt::format("{}: expected {} values", function, required));
}

std::int64_t Bound::whole(std::size_t i, std::int64_t otherwise) const {
  if (is_absent(i)) return otherwise;
  if (values_[i].is_undefined()) fail(values_[i].reason());
  if (!values_[i].is_whole())
    fail(fmt::format("{}: expected a whole number, got {}", function_, kind_name(values_[i])));
  return values_[i].whole();
}

std::int64_t Bound::number(std::size_t i, std::int64_t otherwise) const {
  if (has(i) && values_[i].is_none())
    fail(fmt::format("{}: expected a whole number, got none", function_));
  return whole(i, otherwise);
}

const std::string& Bound::text(std::size_t i) const { return text_in(values_[i], function_); }

std::string Bound::text(std::size_t i, std::string_view otherwise) const {
  return is_absent(i) ? std::string(otherwise) : text(i);
}

bool Bound::truth(Run& run, std::size_t i) const { return has(i) && is_true(run, values_[i]); }

const std::string& text_in(const Value& value, std::string_view what) {
  if (value.is_undefined()) fail(value.reason());
  if (!value.is_text()) fail(fmt::format("{}: expected a string, got {}", what, kind_name(value)));
  return value.bytes();
}

}  // namespace attend::chat_template
