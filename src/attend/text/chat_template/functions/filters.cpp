#include <fmt/format.h>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/known_names.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/formatting.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

bool is_index(std::string_view part) {
  for (const char c : part)
    if (c < '0' || c > '9') return false;
  return !part.empty() && part.size() < 18;
}

}  // namespace

AttributePath::AttributePath(Run& run, const Value& attribute) {
  if (attribute.is_none() || attribute.is_missing()) return;
  if (!attribute.is_text()) {
    parts_.push_back(attribute);
    return;
  }
  const std::string& path = attribute.bytes();
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('.', at), path.size());
    const std::string part = path.substr(at, end - at);
    parts_.push_back(is_index(part) ? Value::integer(std::stoll(part)) : run.text(part));
    at = end + 1;
  }
}

Value AttributePath::of(Run& run, Value value, const Value& otherwise) const {
  for (const Value& part : parts_) {
    value = item_of(run, value, part);
    const bool is_replaced = !otherwise.is_missing() && !otherwise.is_none();
    if (is_replaced && value.is_undefined()) value = otherwise;
  }
  return value;
}

Value sort_key(Run& run, const Value& value, bool has_case) {
  if (has_case || !value.is_text()) return value;
  run.count_work(value.bytes().size() * 16);
  return run.text(unicode::lowercase(value.bytes()));
}

Value filtered(Run& run, std::string_view name, const Value& value, const Given& given) {
  run.count_step();
  if (value.is_text()) run.count_work(value.bytes().size());
  for (const auto find : {text_filter, number_filter, list_filter})
    if (const Filter* filter = find(name))
      return filter->apply(run, value, Bound(name, filter->parameters, filter->required, given));
  if (name == "format") {
    const Value text = value.is_text() ? value : run.text(text_of(run, value));
    return percent_formatted(run, text, given);
  }
  Value result = chosen(run, name, value, given);
  if (!result.is_missing()) return result;
  if (!is_filter_name(name)) fail(fmt::format("there is no filter {}", quote(std::string(name))));
  refuse(fmt::format("the filter {}", quote(std::string(name))));
}

}  // namespace attend::chat_template
