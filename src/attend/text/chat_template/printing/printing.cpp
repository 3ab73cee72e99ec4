#include "attend/text/chat_template/printing/printing.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend::chat_template {
namespace {

void show_into(Run& run, const Value& value, std::string& text);

void add_shown(Run& run, std::string_view part, std::string& text) {
  run.count_work(part.size());
  text += part;
  Run::require_size(text.size());
}

void show_row(Run& run, const Values& items, std::string& text) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) add_shown(run, ", ", text);
    show_into(run, items[i], text);
  }
}

void show_members(Run& run, const Items& members, std::string& text) {
  text += '{';
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i > 0) add_shown(run, ", ", text);
    show_into(run, members[i].first, text);
    add_shown(run, ": ", text);
    show_into(run, members[i].second, text);
  }
  text += '}';
}

void show_view(Run& run, const Value& value, std::string& text) {
  constexpr std::array<std::string_view, 3> kNames{"dict_keys", "dict_values", "dict_items"};
  add_shown(run, kNames[static_cast<std::size_t>(value.view().kind)], text);
  text += "([";
  show_row(run, items_of(run, value), text);
  text += "])";
}

void show_space(Run& run, const Space& space, std::string& text) {
  const Run::Level level(run);
  text += "<Namespace ";
  Items members;
  for (const auto& [name, value] : space.members) members.emplace_back(run.text(name), value);
  show_members(run, members, text);
  text += '>';
}

std::string shown_range(const Range& range) {
  return range.step == 1 ? fmt::format("range({}, {})", range.first, range.stop)
                         : fmt::format("range({}, {}, {})", range.first, range.stop, range.step);
}

std::string shown_macro(const Macro& macro) {
  const bool has_name = macro.statement->type == Statement::Type::macro;
  return has_name ? fmt::format("<Macro {}>", shown_text(macro.statement->text))
                  : "<Macro anonymous>";
}

void show_into(Run& run, const Value& value, std::string& text) {
  run.count_step();
  switch (value.kind()) {
    case Kind::text:
      add_shown(run, value.is_markup() ? "Markup(" : "", text);
      add_shown(run, shown_text(value.bytes()), text);
      return add_shown(run, value.is_markup() ? ")" : "", text);
    case Kind::undefined:
      return add_shown(run, "Undefined", text);
    case Kind::list:
      text += '[';
      show_row(run, value.items(), text);
      text += ']';
      return;
    case Kind::tuple:
      text += '(';
      show_row(run, value.items(), text);
      return add_shown(run, value.items().size() == 1 ? ",)" : ")", text);
    case Kind::dict:
      return show_members(run, value.members(), text);
    case Kind::view:
      return show_view(run, value, text);
    case Kind::space:
      return show_space(run, value.space(), text);
    default:
      return add_shown(run, text_of(run, value), text);
  }
}

}  // namespace

std::string shown_number(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(number),
                                 std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  int exponent = 0;
  const char* digits_of_exponent = text.data() + mark + (text[mark + 1] == '+' ? 2 : 1);
  std::from_chars(digits_of_exponent, end.ptr, exponent);
  std::string digits(1, text[0]);
  if (mark > 2) digits += text.substr(2, mark - 2);
  const std::string sign = std::signbit(number) ? "-" : "";
  if (exponent < -4 || exponent >= 16)
    return fmt::format("{}{}{}{}e{}{:02}", sign, digits[0], digits.size() > 1 ? "." : "",
                       digits.substr(1), exponent < 0 ? "-" : "+", std::abs(exponent));
  if (exponent < 0)
    return sign + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string shown_text(std::string_view text) {
  const bool has_single = text.find('\'') != text.npos, has_double = text.find('"') != text.npos;
  const char mark = has_single && !has_double ? '"' : '\'';
  std::string result(1, mark);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    const auto code = static_cast<unsigned>(c);
    if (c == static_cast<unsigned char>(mark) || c == '\\') {
      result += '\\';
      result += static_cast<char>(c);
    } else if (c == '\n' || c == '\r' || c == '\t') {
      result += c == '\n' ? "\\n" : (c == '\r' ? "\\r" : "\\t");
    } else if (unicode::is_printable(c)) {
      result += text.substr(begin, at - begin);
    } else {
      result += c < 0x100     ? fmt::format("\\x{:02x}", code)
                : c < 0x10000 ? fmt::format("\\u{:04x}", code)
                              : fmt::format("\\U{:08x}", code);
    }
  }
  return result + mark;
}

std::string text_of(Run& run, const Value& value) {
  switch (value.kind()) {
    case Kind::text:
      return value.bytes();
    case Kind::missing:
    case Kind::undefined:
      return "";
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.whole() != 0 ? "True" : "False";
    case Kind::integer:
      return fmt::format("{}", value.whole());
    case Kind::real:
      return shown_number(value.real());
    case Kind::range:
      return shown_range(value.range());
    case Kind::macro:
      return shown_macro(value.macro());
    case Kind::loop:
      return fmt::format("<LoopContext {}/{}>", value.loop().index0 + 1,
                         value.loop().length_of_all(run));
    case Kind::iterator:
    case Kind::method:
    case Kind::function:
      refuse(fmt::format("writing {}", kind_name(value)));
    default:
      return shown(run, value);
  }
}

std::string shown(Run& run, const Value& value) {
  std::string text;
  show_into(run, value, text);
  return text;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '"':
        result += "&#34;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

}  // namespace attend::chat_template
