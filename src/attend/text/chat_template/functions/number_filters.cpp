#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/functions/functions.h"
#include "attend/text/chat_template/functions/text_functions.h"
#include "attend/text/chat_template/operators.h"

namespace attend::chat_template {
namespace {

constexpr const char* kBeyond = "a whole number beyond 64 bits";

// Digits with single "_" between them become digits alone; nullopt for other texts.
std::optional<std::string> without_marks(std::string_view text) {
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_mark = text[i] == '_';
    if (is_mark && (i == 0 || i + 1 == text.size() || text[i - 1] == '_' || text[i + 1] == '_'))
      return std::nullopt;
    if (!is_mark) digits += text[i];
  }
  return digits;
}

std::string plain_number(std::string_view text) {
  for (const char32_t c : unicode::decode(text))
    if (c >= 0x80 && unicode::is_digit(c)) refuse("a number in digits beyond ASCII");
  return stripped(text, true, true);
}

int base_of_prefix(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return 0;
  const char letter = ascii_lower(text[1]);
  return letter == 'x' ? 16 : (letter == 'o' ? 8 : (letter == 'b' ? 2 : 0));
}

// int(text, base) in Python.
std::optional<std::int64_t> whole_in(std::string_view given, std::int64_t base) {
  if (base != 0 && (base < 2 || base > 36)) return std::nullopt;
  std::string text = plain_number(given);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.erase(0, 1);
  const int prefix = base_of_prefix(text);
  if (prefix != 0 && (base == 0 || base == prefix)) {
    text.erase(0, 2);
    if (text.starts_with('_')) text.erase(0, 1);
    base = prefix;
  }
  const auto digits = without_marks(text);
  if (!digits || digits->empty()) return std::nullopt;
  const bool is_zero = digits->find_first_not_of('0') == digits->npos;
  if (base == 0 && digits->front() == '0' && !is_zero) return std::nullopt;
  std::uint64_t size = 0;
  const auto parsed = std::from_chars(digits->data(), digits->data() + digits->size(), size,
                                      base == 0 ? 10 : static_cast<int>(base));
  if (parsed.ptr != digits->data() + digits->size()) return std::nullopt;
  if (parsed.ec != std::errc() || size > (std::uint64_t{1} << 63) - 1) refuse(kBeyond);
  return is_negative ? -static_cast<std::int64_t>(size) : static_cast<std::int64_t>(size);
}

// float(text) in Python.
std::optional<double> real_in(std::string_view given) {
  std::string text = plain_number(given);
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.erase(0, 1);
  const std::string word = unicode::lowercase(text);
  const double sign = is_negative ? -1 : 1;
  if (word == "inf" || word == "infinity") return sign * std::numeric_limits<double>::infinity();
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text.empty() || text.find_first_not_of("0123456789.eE+-_") != text.npos) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {  // "_" only between digits
    const auto is_digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
    if (text[i] == '_' && (i == 0 || i + 1 == text.size() || !is_digit(i - 1) || !is_digit(i + 1)))
      return std::nullopt;
  }
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ptr != end || text.starts_with('-')) return std::nullopt;
  if (parsed.ec == std::errc::result_out_of_range) {
    const bool is_small = text.find("e-") != text.npos || text.find("E-") != text.npos;
    return is_small ? sign * 0.0 : sign * std::numeric_limits<double>::infinity();
  }
  return parsed.ec == std::errc() ? std::optional(sign * number) : std::nullopt;
}

std::int64_t whole_of(double number) {
  if (std::isinf(number)) fail("int: the number is infinite");
  if (std::abs(number) >= 9.2e18) refuse(kBeyond);
  return static_cast<std::int64_t>(number);
}

Value to_whole(Run&, const Value& value, const Bound& bound) {
  const Value otherwise = bound.at(0, Value::integer(0));
  if (value.is_undefined()) fail(value.reason());
  if (value.is_whole()) return Value::integer(value.whole());
  if (value.is(Kind::real))
    return std::isnan(value.real()) ? otherwise : Value::integer(whole_of(value.real()));
  if (!value.is_text()) return otherwise;
  if (const auto whole = whole_in(value.bytes(), bound.whole(1, 10))) return Value::integer(*whole);
  const auto real = real_in(value.bytes());
  if (!real || !std::isfinite(*real)) return otherwise;
  return Value::integer(whole_of(*real));
}

Value to_real(Run&, const Value& value, const Bound& bound) {
  if (value.is_undefined()) fail(value.reason());
  if (value.is_number()) return Value::real(value.real());
  const auto real = value.is_text() ? real_in(value.bytes()) : std::nullopt;
  return real ? Value::real(*real) : bound.at(0, Value::real(0));
}

Value absolute(Run&, const Value& value, const Bound&) {
  if (value.is_undefined()) fail(value.reason());
  if (value.is(Kind::real)) return Value::real(std::abs(value.real()));
  if (!value.is_whole()) fail(fmt::format("abs: expected a number, got {}", kind_name(value)));
  return value.whole() < 0 ? negated(value, false) : Value::integer(value.whole());
}

// To an even last digit, as Python rounds what lies in the middle.
double rounded_real(double number, std::int64_t digits) {
  if (!std::isfinite(number) || digits > 300) return number;
  if (digits < 0) {
    if (digits < -300) return std::copysign(0.0, number);
    refuse("round to tens of a number with a fraction");
  }
  const std::string text = fmt::format("{:.{}f}", number, digits);
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

Value rounded(Run& run, const Value& value, const Bound& bound) {
  const std::string method = bound.text(1, "common");
  if (method != "common" && method != "ceil" && method != "floor")
    fail("round: expected common, ceil or floor");
  if (value.is_undefined()) fail(value.reason());
  if (!value.is_number()) fail(fmt::format("round: expected a number, got {}", kind_name(value)));
  if (method == "common") {
    if (!value.is_whole() && bound.has(0) && bound.at(0).is_none())
      return Value::integer(whole_of(std::nearbyint(value.real())));
    const std::int64_t digits = bound.whole(0, 0);
    if (!value.is_whole()) return Value::real(rounded_real(value.real(), digits));
    if (digits < 0) refuse("round to tens");
    return Value::integer(value.whole());
  }
  const Value power = calculated(run, "**", Value::integer(10), Value::integer(bound.whole(0, 0)));
  const Value scaled = calculated(run, "*", value, power);
  Value whole = scaled;
  if (!scaled.is_whole())
    whole = Value::integer(
        whole_of(method == "ceil" ? std::ceil(scaled.real()) : std::floor(scaled.real())));
  return calculated(run, "/", whole, power);
}

constexpr auto kNumberFilters = std::to_array<Filter>({
    {"abs", "/", 0, absolute},
    {"float", "default", 0, to_real},
    {"int", "default base", 0, to_whole},
    {"round", "precision method", 0, rounded},
});

}  // namespace

const Filter* number_filter(std::string_view name) {
  const auto found = std::find_if(kNumberFilters.begin(), kNumberFilters.end(),
                                  [&](const Filter& one) { return one.name == name; });
  return found == kNumberFilters.end() ? nullptr : &*found;
}

}  // namespace attend::chat_template
