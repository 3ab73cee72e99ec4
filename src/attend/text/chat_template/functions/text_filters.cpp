#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/functions/text_functions.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

// A value as a string; one that is a string, with its mark.
Value soft_text(Run& run, const Value& value) {
  return value.is_text() ? value : run.text(text_of(run, value));
}

Given given_of(const Bound& bound) {
  Given given;
  for (std::size_t i = 0; i < bound.size() && bound.has(i); ++i)
    given.by_position.push_back(bound.at(i));
  return given;
}

Value upper(Run& run, const Value& value, const Bound&) {
  return text_method(run, soft_text(run, value), "upper", {});
}
Value lower(Run& run, const Value& value, const Bound&) {
  return text_method(run, soft_text(run, value), "lower", {});
}
Value capitalize(Run& run, const Value& value, const Bound&) {
  return text_method(run, soft_text(run, value), "capitalize", {});
}
Value trim(Run& run, const Value& value, const Bound& bound) {
  return text_method(run, soft_text(run, value), "strip", given_of(bound));
}
Value center(Run& run, const Value& value, const Bound& bound) {
  return text_method(run, soft_text(run, value), "center", {{bound.at(0, Value::integer(80))}});
}

bool splits_title(char32_t c) {
  return unicode::is_space(c) || c == '-' || c == '(' || c == '{' || c == '[' || c == '<';
}

// Words begin after white space and some signs, unlike those of str.title().
Value title(Run& run, const Value& value, const Bound&) {
  const Value text = soft_text(run, value);
  run.count_work(text.bytes().size() * 16);
  if (text.is_markup()) refuse("title of a text that is marked as safe");
  std::string result;
  const auto add_item = [&](std::string_view item) {
    if (item.empty()) return;
    std::size_t first = 0;
    next_code_point(item, first);
    result += unicode::uppercase(item.substr(0, first)) + unicode::lowercase(item.substr(first));
  };
  const std::string& all = text.bytes();
  std::size_t begin = 0;
  bool is_within_split = false;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t here = at;
    const bool splits = splits_title(next_code_point(all, at));
    if (splits == is_within_split) continue;
    add_item(std::string_view(all).substr(begin, here - begin));
    begin = here;
    is_within_split = splits;
  }
  add_item(std::string_view(all).substr(begin));
  return run.text(std::move(result));
}

Value string(Run& run, const Value& value, const Bound&) { return soft_text(run, value); }

Value replace(Run& run, const Value& value, const Bound& bound) {
  return run.text(replaced(run, text_of(run, value), text_of(run, bound.at(0)),
                           text_of(run, bound.at(1)), bound.whole(2, -1)));
}

Value escape(Run& run, const Value& value, const Bound&) {
  return value.is_markup() ? value : run.text(escaped(text_of(run, value)), true);
}
Value force_escape(Run& run, const Value& value, const Bound&) {
  return run.text(escaped(text_of(run, value)), true);
}
Value safe(Run& run, const Value& value, const Bound&) {
  return run.text(text_of(run, value), true);
}

Value indent(Run& run, const Value& value, const Bound& bound) {
  if (value.is_markup()) refuse("indent of a text that is marked as safe");
  const std::string text = text_in(value, "indent") + "\n";
  std::string blanks(4, ' ');
  if (bound.has(0) && bound.at(0).is_text()) blanks = bound.text(0);
  if (bound.has(0) && !bound.at(0).is_text()) {
    if (bound.at(0).is_none()) fail("indent: expected a width");
    const auto width = static_cast<std::size_t>(std::max(bound.whole(0, 4), std::int64_t{0}));
    Run::require_size(width);
    blanks.assign(width, ' ');
  }
  const bool has_first = bound.truth(run, 1), has_blank = bound.truth(run, 2);
  std::string result = has_first ? blanks : "";
  const std::vector<std::string_view> lines = lines_of(run, text, false);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) result += "\n";
    if (i > 0 && (has_blank || !lines[i].empty())) {
      result += blanks;
      run.count_work(blanks.size());
    }
    result += lines[i];
    Run::require_size(result.size());
  }
  return run.text(std::move(result));
}

Value truncate(Run& run, const Value& value, const Bound& bound) {
  const std::int64_t size = length_of(run, value);
  if (value.is_markup()) refuse("truncate of a text that is marked as safe");
  const std::int64_t length = bound.number(0, 255), leeway = bound.whole(3, 5);
  const std::string end = bound.text(2, "...");
  const auto end_size = static_cast<std::int64_t>(count_code_points(end));
  if (length < end_size || leeway < 0) fail("truncate: the length is too small");
  if (size >= 0 && (size <= length || size - length <= leeway)) return value;
  const std::vector<std::string_view> characters = characters_of(text_in(value, "truncate"));
  std::string kept;
  for (std::int64_t i = 0; i < length - end_size; ++i)
    kept += characters[static_cast<std::size_t>(i)];
  if (!bound.truth(run, 1)) kept = kept.substr(0, kept.rfind(' '));
  return run.text(kept + end);
}

// Runs of letters, digits and "_".
Value word_count(Run& run, const Value& value, const Bound&) {
  run.count_work(value.is_text() ? value.bytes().size() * 16 : 0);
  std::int64_t count = 0;
  bool is_within = false;
  for (const char32_t c : unicode::decode(text_of(run, value))) {
    const bool is_word = c == '_' || unicode::is_letter(c) || unicode::is_number(c);
    if (is_word && !is_within) ++count;
    is_within = is_word;
  }
  return Value::integer(count);
}

std::string url_quoted(std::string_view text, bool for_query) {
  std::string result;
  for (const char c : text) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '-' || c == '~' ||
                          (c == '/' && !for_query);
    if (is_plain)
      result += c;
    else
      result += c == ' ' && for_query
                    ? "+"
                    : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return result;
}

Value url_encode(Run& run, const Value& value, const Bound&) {
  if (value.is_text() || !is_iterable(value))
    return run.text(url_quoted(text_of(run, value), false));
  Value all = value;
  if (value.is(Kind::dict)) all = Value::view({value, ViewKind::items});
  std::string result;
  for (const Value& pair : items_of(run, all)) {
    const Values both = items_of(run, pair);
    if (both.size() != 2) fail("urlencode: expected pairs of values");
    result += (result.empty() ? "" : "&") + url_quoted(text_of(run, both[0]), true) + "=" +
              url_quoted(text_of(run, both[1]), true);
    Run::require_size(result.size());
  }
  return run.text(std::move(result));
}

void set_separators(Run& run, JsonStyle& style, const Value& separators) {
  const Values both = items_of(run, separators);
  if (both.size() != 2) fail("tojson: expected two separators");
  style.between_items = text_in(both[0], "tojson");
  style.after_name = text_in(both[1], "tojson");
}

Value to_json(Run& run, const Value& value, const Bound& bound) {
  JsonStyle style;
  style.is_ascii = bound.truth(run, 0);
  style.sorts_names = bound.truth(run, 3);
  if (!bound.is_absent(1)) {
    if (bound.at(1).is_text()) {
      style.indent = bound.text(1);
    } else {
      const auto width = static_cast<std::size_t>(std::max(bound.whole(1, 0), std::int64_t{0}));
      Run::require_size(width);
      style.indent = std::string(width, ' ');
    }
    style.between_items = ",";
  }
  if (!bound.is_absent(2)) set_separators(run, style, bound.at(2));
  return run.text(json_of(run, value, style));
}

constexpr auto kTextFilters = std::to_array<Filter>({
    {"capitalize", "", 0, capitalize},
    {"center", "width", 0, center},
    {"e", "/", 0, escape},
    {"escape", "/", 0, escape},
    {"forceescape", "", 0, force_escape},
    {"indent", "width first blank", 0, indent},
    {"lower", "", 0, lower},
    {"replace", "old new count", 2, replace},
    {"safe", "", 0, safe},
    {"string", "", 0, string},
    {"title", "", 0, title},
    {"tojson", "ensure_ascii indent separators sort_keys", 0, to_json},
    {"trim", "chars", 0, trim},
    {"truncate", "length killwords end leeway", 0, truncate},
    {"upper", "", 0, upper},
    {"urlencode", "", 0, url_encode},
    {"wordcount", "", 0, word_count},
});

}  // namespace

const Filter* text_filter(std::string_view name) {
  const auto found = std::find_if(kTextFilters.begin(), kTextFilters.end(),
                                  [&](const Filter& one) { return one.name == name; });
  return found == kTextFilters.end() ? nullptr : &*found;
}

}  // namespace attend::chat_template
