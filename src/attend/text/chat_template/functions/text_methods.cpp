#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/bound.h"
#include "attend/text/chat_template/functions/text_functions.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/formatting.h"
#include "attend/text/chat_template/printing/number_format.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

// A method: its parameters, how many are required, and what it does with a text.
struct TextMethod {
  std::string_view name, parameters;
  std::size_t required;
  Value (*call)(Run& run, const std::string& text, const Bound& bound);
};

using Call = Value (*)(Run&, const std::string&, const Bound&);

// The bytes of text[first:last], counted in characters; npos if first is beyond the end.
struct Part {
  std::size_t begin = std::string::npos, end = 0;
};

Part part_of(const std::string& text, const Bound& bound, std::size_t at) {
  const auto size = static_cast<std::int64_t>(count_code_points(text));
  const auto place = [&](std::size_t i, std::int64_t usual) {
    const std::int64_t value = bound.whole(i, usual);
    if (value < -size) return std::int64_t{0};
    return value < 0 ? value + size : value;
  };
  const std::int64_t first = place(at, 0), last = std::min(place(at + 1, size), size);
  if (first > size || first > last) return {};
  Part part{0, 0};
  for (std::int64_t i = 0; i < first; ++i) next_code_point(text, part.begin);
  part.end = part.begin;
  for (std::int64_t i = first; i < last; ++i) next_code_point(text, part.end);
  return part;
}

// The place of a character that begins at a byte.
std::int64_t place_of(const std::string& text, std::size_t byte) {
  return static_cast<std::int64_t>(count_code_points(std::string_view(text).substr(0, byte)));
}

template <bool from_right>
std::int64_t found_at(Run& run, const std::string& text, const Bound& bound) {
  run.count_search(text.size(), bound.text(0).size());
  const Part part = part_of(text, bound, 1);
  if (part.begin == text.npos) return -1;
  const std::string_view within = std::string_view(text).substr(part.begin, part.end - part.begin);
  const std::size_t at = from_right ? within.rfind(bound.text(0)) : within.find(bound.text(0));
  return at == within.npos ? -1 : place_of(text, part.begin + at);
}

template <bool from_right, bool must_be>
Value find_text(Run& run, const std::string& text, const Bound& bound) {
  const std::int64_t at = found_at<from_right>(run, text, bound);
  if (must_be && at < 0) fail("index: the string does not have it");
  return Value::integer(at);
}

template <bool begins>
Value begins_or_ends(Run& run, const std::string& text, const Bound& bound) {
  run.count_work(text.size());
  const Part part = part_of(text, bound, 1);
  const auto does = [&](const Value& one) {
    const std::string& own = text_in(one, begins ? "startswith" : "endswith");
    if (part.begin == text.npos) return false;
    const std::string_view within =
        std::string_view(text).substr(part.begin, part.end - part.begin);
    return begins ? within.starts_with(own) : within.ends_with(own);
  };
  if (!bound.at(0).is(Kind::tuple)) return Value::boolean(does(bound.at(0)));
  const Values& all = bound.at(0).items();
  return Value::boolean(std::any_of(all.begin(), all.end(), does));
}

template <bool left, bool right>
Value strip_text(Run& run, const std::string& text, const Bound& bound) {
  return run.text(bound.is_absent(0) ? stripped(text, left, right)
                                     : stripped(run, text, bound.text(0), left, right));
}

template <bool from_right>
Value split_text(Run& run, const std::string& text, const Bound& bound) {
  const std::int64_t most = bound.number(1, -1);
  if (bound.is_absent(0)) return texts(run, split_at_space(run, text, most, from_right), false);
  if (bound.text(0).empty()) fail("split: expected a separator");
  return texts(run, split_at(run, text, bound.text(0), most, from_right), false);
}

template <bool from_right>
Value partition_text(Run& run, const std::string& text, const Bound& bound) {
  const std::string& separator = bound.text(0);
  if (separator.empty()) fail("partition: expected a separator");
  run.count_search(text.size(), separator.size());
  const std::size_t at = from_right ? text.rfind(separator) : text.find(separator);
  if (at == text.npos)
    return run.tuple(
        {run.text(from_right ? "" : text), run.text(""), run.text(from_right ? text : "")});
  return run.tuple({run.text(text.substr(0, at)), run.text(separator),
                    run.text(text.substr(at + separator.size()))});
}

template <char align>
Value pad_text(Run& run, const std::string& text, const Bound& bound) {
  if (bound.is_absent(0)) fail("a width: expected a whole number");
  NumberFormat format;
  format.width = static_cast<std::size_t>(std::max(bound.whole(0, 0), std::int64_t{0}));
  if (bound.has(1)) format.fill = bound.text(1);
  if (count_code_points(format.fill) != 1) fail("expected one character to fill with");
  if (align != '^') return run.text(in_field(run, text, format, align));
  // Python puts the odd one to the left if the width is odd.
  const std::size_t size = count_code_points(text);
  if (format.width <= size) return run.text(text);
  const std::size_t missing = format.width - size;
  NumberFormat left = format;
  left.width = size + missing / 2 + (missing & format.width & 1);
  return run.text(in_field(run, in_field(run, text, left, '>'), format, '<'));
}

Value fill_zeros(Run& run, const std::string& text, const Bound& bound) {
  NumberFormat format;
  format.fill = "0";
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const std::int64_t width = std::max(bound.number(0, 0) - (has_sign ? 1 : 0), std::int64_t{0});
  format.width = static_cast<std::size_t>(width);
  const std::string sign = has_sign ? text.substr(0, 1) : "";
  return run.text(sign + in_field(run, text.substr(sign.size()), format, '>'));
}

Value replace_text(Run& run, const std::string& text, const Bound& bound) {
  return run.text(replaced(run, text, bound.text(0), bound.text(1), bound.number(2, -1)));
}

Value count_text(Run& run, const std::string& text, const Bound& bound) {
  run.count_search(text.size(), bound.text(0).size());
  const Part part = part_of(text, bound, 1);
  if (part.begin == text.npos) return Value::integer(0);
  const std::string_view within = std::string_view(text).substr(part.begin, part.end - part.begin);
  const std::string& one = bound.text(0);
  if (one.empty()) return Value::integer(static_cast<std::int64_t>(count_code_points(within)) + 1);
  std::int64_t count = 0;
  for (std::size_t at = 0; (at = within.find(one, at)) != within.npos; at += one.size()) ++count;
  return Value::integer(count);
}

Value join_texts(Run& run, const std::string& text, const Bound& bound) {
  std::string result;
  Iteration iteration(bound.at(0));
  bool is_first = true;
  for (Value item; iteration.next(run, item); is_first = false) {
    if (!is_first) result += text;
    result += text_in(item, "join");
    if (item.is_markup()) refuse("join of texts that are marked as safe");
    run.count_work(text.size());
    Run::require_size(result.size());
  }
  return run.text(std::move(result));
}

Value expand_tabs(Run& run, const std::string& text, const Bound& bound) {
  const std::int64_t size = bound.number(0, 8);
  std::string result;
  std::int64_t column = 0;
  for (const std::string_view character : characters_of(text)) {
    if (character != "\t") {
      result += character;
      column = character == "\n" || character == "\r" ? 0 : column + 1;
    } else if (size > 0) {
      const std::int64_t missing = size - column % size;
      Run::require_size(static_cast<std::size_t>(missing));
      result.append(static_cast<std::size_t>(missing), ' ');
      column += missing;
    }
    Run::require_size(result.size());
  }
  run.count_work(result.size());
  return run.text(std::move(result));
}

// Looking at characters one by one takes longer than copying them.
void count_characters(Run& run, const std::string& text) { run.count_work(text.size() * 16); }

template <bool (*is_one)(char32_t)>
Value are_all(Run& run, const std::string& text, const Bound&) {
  count_characters(run, text);
  const std::u32string codes = unicode::decode(text);
  return Value::boolean(!codes.empty() && std::all_of(codes.begin(), codes.end(), is_one));
}

bool is_alpha(char32_t c) { return unicode::is_letter(c); }
bool is_alnum(char32_t c) { return unicode::is_letter(c) || unicode::is_number(c); }
bool is_digit_code(char32_t c) {
  const bool is_raised = c == 0xb2 || c == 0xb3 || c == 0xb9;
  if (unicode::is_number(c) && !unicode::is_digit(c) && !is_raised)
    refuse("isdigit() of such a number");
  return unicode::is_digit(c) || is_raised;
}
bool is_numeric(char32_t c) {
  const bool is_han = (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) || c >= 0x20000;
  if (is_han) refuse("isnumeric() of such a character");
  return unicode::is_number(c);
}

// All of their letters are of one case, and there are some.
template <bool upper>
Value is_of_case(Run& run, const std::string& text, const Bound&) {
  count_characters(run, text);
  bool has_letter = false;
  for (const char32_t c : unicode::decode(text)) {
    const bool is_own = upper ? unicode::is_uppercase(c) : unicode::is_lowercase(c);
    if (!is_own && unicode::is_cased(c)) return Value::boolean(false);
    has_letter = has_letter || is_own;
  }
  return Value::boolean(has_letter);
}

Value is_title(Run& run, const std::string& text, const Bound&) {
  count_characters(run, text);
  bool has_letter = false, follows_letter = false;
  for (const char32_t c : unicode::decode(text)) {
    const bool is_cased = unicode::is_cased(c), is_low = unicode::is_lowercase(c);
    if (is_cased && is_low != follows_letter) return Value::boolean(false);
    follows_letter = is_cased;
    has_letter = has_letter || is_cased;
  }
  return Value::boolean(has_letter);
}

template <std::string (*change)(std::string_view)>
Value changed_case(Run& run, const std::string& text, const Bound&) {
  count_characters(run, text);
  return run.text(change(text));
}

Value is_identifier(Run&, const std::string& text, const Bound&) {
  bool is_one = !text.empty() && !(text[0] >= '0' && text[0] <= '9');
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) refuse("isidentifier() beyond ASCII");
    is_one = is_one && (c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z'));
  }
  return Value::boolean(is_one);
}

Value is_ascii_text(Run&, const std::string& text, const Bound&) {
  return Value::boolean(std::all_of(text.begin(), text.end(),
                                    [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
}

template <bool prefix>
Value without_affix(Run& run, const std::string& text, const Bound& bound) {
  const std::string& affix = bound.text(0);
  const bool has = prefix ? text.starts_with(affix) : text.ends_with(affix);
  if (!has) return run.text(text);
  return run.text(prefix ? text.substr(affix.size()) : text.substr(0, text.size() - affix.size()));
}

Value split_lines(Run& run, const std::string& text, const Bound& bound) {
  return texts(run, lines_of(run, text, bound.number(0, 0) != 0), false);
}

bool is_space_code(char32_t c) { return unicode::is_space(c); }
bool is_decimal_code(char32_t c) { return unicode::is_digit(c); }

Value are_printable(Run& run, const std::string& text, const Bound& bound) {
  return text.empty() ? Value::boolean(true) : are_all<unicode::is_printable>(run, text, bound);
}

constexpr auto kTextMethods = std::to_array<TextMethod>({
    {"capitalize", "/", 0, changed_case<unicode::capitalized>},
    {"casefold", "/", 0, changed_case<unicode::folded_case>},
    {"center", "/width fill", 1, pad_text<'^'>},
    {"count", "/one first last", 1, count_text},
    {"endswith", "/one first last", 1, begins_or_ends<false>},
    {"expandtabs", "tabsize", 0, expand_tabs},
    {"find", "/one first last", 1, find_text<false, false>},
    {"index", "/one first last", 1, find_text<false, true>},
    {"isalnum", "/", 0, are_all<is_alnum>},
    {"isalpha", "/", 0, are_all<is_alpha>},
    {"isascii", "/", 0, is_ascii_text},
    {"isdecimal", "/", 0, are_all<is_decimal_code>},
    {"isdigit", "/", 0, are_all<is_digit_code>},
    {"isidentifier", "/", 0, is_identifier},
    {"islower", "/", 0, is_of_case<false>},
    {"isnumeric", "/", 0, are_all<is_numeric>},
    {"isprintable", "/", 0, are_printable},
    {"isspace", "/", 0, are_all<is_space_code>},
    {"istitle", "/", 0, is_title},
    {"isupper", "/", 0, is_of_case<true>},
    {"join", "/all", 1, join_texts},
    {"ljust", "/width fill", 1, pad_text<'<'>},
    {"lower", "/", 0, changed_case<unicode::lowercase>},
    {"lstrip", "/characters", 0, strip_text<true, false>},
    {"partition", "/separator", 1, partition_text<false>},
    {"removeprefix", "/affix", 1, without_affix<true>},
    {"removesuffix", "/affix", 1, without_affix<false>},
    {"replace", "/old new count", 2, replace_text},
    {"rfind", "/one first last", 1, find_text<true, false>},
    {"rindex", "/one first last", 1, find_text<true, true>},
    {"rjust", "/width fill", 1, pad_text<'>'>},
    {"rpartition", "/separator", 1, partition_text<true>},
    {"rsplit", "sep maxsplit", 0, split_text<true>},
    {"rstrip", "/characters", 0, strip_text<false, true>},
    {"split", "sep maxsplit", 0, split_text<false>},
    {"splitlines", "keepends", 0, split_lines},
    {"startswith", "/one first last", 1, begins_or_ends<true>},
    {"strip", "/characters", 0, strip_text<true, true>},
    {"swapcase", "/", 0, changed_case<unicode::swapped_case>},
    {"title", "/", 0, changed_case<unicode::titlecase>},
    {"upper", "/", 0, changed_case<unicode::uppercase>},
    {"zfill", "/width", 1, fill_zeros},
});

// Whether escaping would change an argument.
bool is_changed_by_escaping(const Value& value) {
  return value.is_text() && !value.is_markup() &&
         value.bytes().find_first_of("&<>'\"") != std::string::npos;
}

Value marked(Run& run, const Value& value) {
  if (value.is_text()) return run.text(value.bytes(), true);
  if (!value.is_row()) return value;
  Values items;
  for (const Value& one : value.items()) items.push_back(marked(run, one));
  return value.is(Kind::list) ? run.list(std::move(items)) : run.tuple(std::move(items));
}

}  // namespace

Value text_method(Run& run, const Value& self, std::string_view name, const Given& given) {
  run.count_work(self.bytes().size());
  if (name == "format") return brace_formatted(run, self, given);
  const auto method = std::find_if(kTextMethods.begin(), kTextMethods.end(),
                                   [&](const TextMethod& one) { return one.name == name; });
  if (method == kTextMethods.end()) refuse(fmt::format("the method {} of strings", name));
  const Bound bound(name, method->parameters, method->required, given);
  if (!self.is_markup()) return method->call(run, self.bytes(), bound);
  for (std::size_t i = 0; i < bound.size(); ++i)
    if (bound.has(i) && (is_changed_by_escaping(bound.at(i)) || bound.at(i).is_row()))
      refuse(fmt::format("the method {} of a text that is marked as safe", name));
  return marked(run, method->call(run, self.bytes(), bound));
}

}  // namespace attend::chat_template
