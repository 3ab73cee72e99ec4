#include "attend/text/chat_template/printing/formatting.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/number_format.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

// "%s" and such.
class PercentFormatter {
 public:
  PercentFormatter(Run& run, const Value& text, const Value& value)
      : run_(run), source_(text.bytes()), value_(value) {
    if (text.is_markup()) refuse("a format of a text that is marked as safe");
    run.count_work(source_.size());
  }

  Value formatted_text() {
    while (at_ < source_.size()) {
      const std::size_t mark = source_.find('%', at_);
      add(source_.substr(at_, mark == source_.npos ? mark : mark - at_));
      if (mark == source_.npos) break;
      at_ = mark + 1;
      read_place();
    }
    const bool is_left = value_.is(Kind::tuple) ? used_ < value_.items().size() : used_ == 0;
    const bool may_be_left =
        !value_.is(Kind::tuple) && (value_.is(Kind::dict) || value_.is(Kind::list) ||
                                    value_.is(Kind::range) || value_.is_undefined());
    if (is_left && !may_be_left) fail("%: more values than places in the text");
    return run_.text(std::move(result_));
  }

 private:
  void add(std::string_view part) {
    run_.count_work(part.size());
    result_ += part;
    Run::require_size(result_.size());
  }

  char here() const {
    if (at_ >= source_.size()) fail("%: the format ends too early");
    return source_[at_];
  }

  void read_place() {
    std::optional<Value> named;
    if (here() == '(') named = value_by_name();
    NumberFormat format;
    for (;; ++at_) {
      const char c = here();
      if (c == '-')
        format.align = '<';
      else if (c == '0' && format.align == 0)
        format.align = 'z';
      else if (c == '+')
        format.sign = '+';
      else if (c == ' ' && format.sign != '+')
        format.sign = ' ';
      else if (c == '#')
        format.is_alternate = true;
      else if (c != '0' && c != ' ')
        break;
    }
    if (here() == '*') refuse("the format '*'");
    format.width = read_number();
    if (here() == '.') {
      ++at_;
      if (here() == '*') refuse("the format '*'");
      format.precision = static_cast<int>(read_number());
    }
    if (here() == 'h' || here() == 'l' || here() == 'L') ++at_;
    format.type = here();
    ++at_;
    if (format.type == '%') return add("%");
    add(written(named ? *named : next_value(), format));
  }

  std::size_t read_number() {
    std::size_t number = 0;
    for (; is_digit_char(here()); ++at_) {
      number = number * 10 + static_cast<std::size_t>(here() - '0');
      Run::require_size(number);
    }
    return number;
  }

  Value value_by_name() {
    if (!value_.is(Kind::dict)) fail("%: expected an object for places with names");
    int levels = 1;
    const std::size_t begin = ++at_;
    for (; levels > 0; ++at_) levels += here() == '(' ? 1 : (here() == ')' ? -1 : 0);
    const std::string name(source_.substr(begin, at_ - 1 - begin));
    const Value* found = member_of(run_, value_, Value::text(name));
    if (found == nullptr) fail(fmt::format("%: there is no {}", quote(name)));
    ++used_;
    return *found;
  }

  Value next_value() {
    const std::size_t place = used_++;
    if (!value_.is(Kind::tuple)) {
      if (place == 0) return value_;
    } else if (place < value_.items().size()) {
      return value_.items()[place];
    }
    fail("%: fewer values than places in the text");
  }

  std::string written(const Value& value, NumberFormat format) {
    const char type = format.type;
    if (type == 's' || type == 'r' || type == 'a') return written_text(value, format);
    if (type == 'c') refuse("the format '%c'");
    if (type == 'i' || type == 'u') format.type = 'd';
    const bool is_whole_type =
        std::string_view("dox").find(format.type) != std::string_view::npos || type == 'X';
    if (!is_whole_type && std::string_view("eEfFgG").find(type) == std::string_view::npos)
      fail(fmt::format("%: there is no format {}", quote(std::string(1, type))));
    Value number = value;
    if (value.is_undefined()) fail(value.reason());
    if (!value.is_number()) fail(fmt::format("%: expected a number, got {}", kind_name(value)));
    if (is_whole_type && value.is(Kind::real)) {
      if (format.type != 'd') fail("%: expected a whole number");
      if (!std::isfinite(value.real())) fail("%: expected a finite number");
      if (std::abs(value.real()) > 9e18) refuse("a whole number beyond 64 bits");
      number = Value::integer(static_cast<std::int64_t>(value.real()));
    }
    if (is_whole_type && format.precision >= 0) refuse("a precision of a whole number");
    if (format.align == '<') return formatted(run_, number, format);
    const bool has_zeros = format.align == 'z';
    format.align = has_zeros ? '=' : '>';
    if (has_zeros) format.fill = "0";
    return formatted(run_, number, format);
  }

  std::string written_text(const Value& value, NumberFormat format) {
    if (format.type == 'a') refuse("the format '%a'");
    std::string text = format.type == 'r' ? shown(run_, value) : text_of(run_, value);
    NumberFormat plain;
    plain.precision = format.precision;
    plain.width = format.width;
    plain.align = format.align == '<' ? '<' : '>';
    return formatted(run_, Value::text(std::move(text)), plain);
  }

  Run& run_;
  const std::string source_;
  const Value& value_;
  std::size_t at_ = 0, used_ = 0;
  std::string result_;
};

// "{}" and such.
class BraceFormatter {
 public:
  BraceFormatter(Run& run, const Given& given) : run_(run), given_(given) {}

  std::string formatted_text(std::string_view source, int levels) {
    if (levels == 0) fail("format: it is nested too deeply");
    std::string result;
    for (std::size_t at = 0; at < source.size();) {
      const char c = source[at++];
      const bool is_double = at < source.size() && source[at] == c;
      if (c != '{' && c != '}') {
        result += c;
      } else if (is_double) {
        result += c;
        ++at;
      } else if (c == '}') {
        fail("format: a } without {");
      } else {
        result += field(source, at, levels);
      }
      run_.count_work(1);
      Run::require_size(result.size());
    }
    return result;
  }

 private:
  // After "{", up to and with "}".
  std::string field(std::string_view source, std::size_t& at, int levels) {
    const std::size_t begin = at;
    int braces = 1, brackets = 0;
    std::size_t name_end = source.npos;
    for (; at < source.size(); ++at) {
      const char c = source[at];
      if (name_end == source.npos && c == '[') ++brackets;
      if (name_end == source.npos && c == ']') brackets = 0;
      if (brackets > 0) continue;
      if (c == '{') ++braces;
      if (c == '}' && --braces == 0) break;
      if (name_end == source.npos && (c == '!' || c == ':')) name_end = at;
    }
    if (at >= source.size()) fail("format: expected }");
    const std::size_t end = at++;
    if (name_end == source.npos) name_end = end;
    const std::string_view name = source.substr(begin, name_end - begin);
    if (name.find_first_of("{}") != name.npos) fail("format: unexpected { in a name");
    std::string_view rest = source.substr(name_end, end - name_end);
    Value value = value_of(name);
    if (rest.starts_with('!')) {
      if (rest.size() < 2 || (rest.size() > 2 && rest[2] != ':'))
        fail("format: expected one letter after !");
      value = converted(value, rest[1]);
      rest.remove_prefix(2);
    }
    const std::string format =
        rest.size() > 1 ? formatted_text(rest.substr(1), levels - 1) : std::string();
    return format.empty() ? text_of(run_, value) : formatted(run_, value, read_format(format));
  }

  Value converted(const Value& value, char letter) {
    if (letter == 's') return run_.text(text_of(run_, value));
    if (letter == 'r') return run_.text(shown(run_, value));
    if (letter == 'a') refuse("the format '!a'");
    fail("format: expected s or r after !");
  }

  Value value_of(std::string_view name) {
    const std::size_t end = std::min(name.find_first_of(".["), name.size());
    Value value = first_value(name.substr(0, end));
    for (std::size_t at = end; at < name.size();) {
      const bool is_item = name[at++] == '[';
      const std::size_t stop =
          is_item ? name.find(']', at) : std::min(name.find_first_of(".[", at), name.size());
      if (stop == name.npos || stop == at) fail("format: expected a name");
      const std::string part(name.substr(at, stop - at));
      at = stop + (is_item ? 1 : 0);
      if (is_item && at < name.size() && name[at] != '.' && name[at] != '[')
        fail("format: expected . or [ after ]");
      value = !is_item ? attribute_of(run_, value, part) : item_of(run_, value, key_of(part));
    }
    return value;
  }

  Value key_of(const std::string& part) {
    std::int64_t number = 0;
    const auto parsed = std::from_chars(part.data(), part.data() + part.size(), number);
    const bool is_number = is_digit_char(part[0]) && parsed.ec == std::errc() &&
                           parsed.ptr == part.data() + part.size();
    return is_number ? Value::integer(number) : run_.text(part);
  }

  Value first_value(std::string_view name) {
    const bool is_counted = name.empty();
    Value key = is_counted ? Value::integer(next_) : key_of(std::string(name));
    if (key.is(Kind::integer)) {
      if (is_counted ? has_numbers_ : next_ > 0) fail("format: fields with and without numbers");
      is_counted ? ++next_ : has_numbers_ = true;
      if (key.whole() >= std::ssize(given_.by_position)) fail("format: more fields than values");
      return given_.by_position[static_cast<std::size_t>(key.whole())];
    }
    for (const auto& [own, value] : given_.by_name)
      if (own == name) return value;
    fail(fmt::format("format: there is no {}", quote(std::string(name))));
  }

  Run& run_;
  const Given& given_;
  std::int64_t next_ = 0;
  bool has_numbers_ = false;
};

}  // namespace

Value percent_formatted(Run& run, const Value& text, const Value& value) {
  return PercentFormatter(run, text, value).formatted_text();
}

Value percent_formatted(Run& run, const Value& text, const Given& given) {
  if (given.by_name.empty()) return percent_formatted(run, text, run.tuple(given.by_position));
  if (!given.by_position.empty()) fail("format: expected values by position or by name");
  Items items;
  for (const auto& [name, value] : given.by_name) items.emplace_back(run.text(name), value);
  return percent_formatted(run, text, run.dict(std::move(items)));
}

Value brace_formatted(Run& run, const Value& text, const Given& given) {
  if (text.is_markup()) refuse("format of a text that is marked as safe");
  return run.text(BraceFormatter(run, given).formatted_text(text.bytes(), 2));
}

}  // namespace attend::chat_template
