#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "attend/text/chat_template/operators.h"
#include "attend/text/chat_template/printing/formatting.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

constexpr const char* kTooLarge = "a whole number beyond 64 bits";
constexpr std::int64_t kExact = std::int64_t{1} << 53;  // a double holds those below

[[noreturn]] void fail_to_join(std::string_view symbol, const Value& a, const Value& b) {
  if (a.is_undefined() || b.is_undefined()) fail((a.is_undefined() ? a : b).reason());
  fail(fmt::format("{}: cannot join {} and {}", symbol, kind_name(a), kind_name(b)));
}

Value whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) {
    if (base == 0) fail("**: division by zero");
    if (std::abs(base) > kExact || exponent < -kExact) refuse("a power of large numbers");
    return Value::real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  std::int64_t result = 1;
  for (std::int64_t factor = base, left = exponent; left > 0; left >>= 1) {
    if ((left & 1) != 0 && __builtin_mul_overflow(result, factor, &result)) refuse(kTooLarge);
    if (left > 1 && __builtin_mul_overflow(factor, factor, &factor)) refuse(kTooLarge);
  }
  return Value::integer(result);
}

std::int64_t floor_of_division(std::int64_t x, std::int64_t y) {
  if (y == -1 && x == std::numeric_limits<std::int64_t>::min()) refuse(kTooLarge);
  const std::int64_t quotient = x / y;
  return quotient - (x % y != 0 && (x < 0) != (y < 0) ? 1 : 0);
}

Value whole_result(char symbol, std::int64_t x, std::int64_t y) {
  std::int64_t result = 0;
  bool overflows = false;
  if (symbol == '+') overflows = __builtin_add_overflow(x, y, &result);
  if (symbol == '-') overflows = __builtin_sub_overflow(x, y, &result);
  if (symbol == '*') overflows = __builtin_mul_overflow(x, y, &result);
  if (overflows) refuse(kTooLarge);
  return Value::integer(result);
}

// As Python: the rest has the sign of the divisor, and the quotient is rounded down.
double rest_of(double x, double y) {
  const double rest = std::fmod(x, y);
  if (rest == 0) return std::copysign(0.0, y);
  return (rest < 0) != (y < 0) ? rest + y : rest;
}

double floor_of_quotient(double x, double y) {
  double rest = std::fmod(x, y), quotient = (x - rest) / y;
  if (rest != 0 && (rest < 0) != (y < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, x / y);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

double real_power(double x, double y) {
  if (x == 0 && y < 0) fail("**: division by zero");
  const double result = std::pow(x, y);
  if (std::isnan(result) && !std::isnan(x) && !std::isnan(y)) refuse("a complex number");
  if (std::isinf(result) && !std::isinf(x) && !std::isinf(y)) fail("**: the result is too large");
  return result;
}

Value number_result(std::string_view symbol, const Value& a, const Value& b) {
  const bool are_whole = a.is_whole() && b.is_whole();
  const bool divides = symbol == "/" || symbol == "//" || symbol == "%";
  if (divides && (b.is_whole() ? b.whole() == 0 : b.real() == 0))
    fail(fmt::format("{}: division by zero", symbol));
  if (are_whole && symbol != "/") {
    const std::int64_t x = a.whole(), y = b.whole();
    if (symbol == "**") return whole_power(x, y);
    if (symbol == "//") return Value::integer(floor_of_division(x, y));
    if (symbol == "%") return Value::integer(y == -1 ? 0 : x - floor_of_division(x, y) * y);
    return whole_result(symbol.front(), x, y);
  }
  if (are_whole && (std::abs(a.real()) > static_cast<double>(kExact) ||
                    std::abs(b.real()) > static_cast<double>(kExact)))
    refuse("a quotient of large numbers");
  const double x = a.real(), y = b.real();
  if (symbol == "+") return Value::real(x + y);
  if (symbol == "-") return Value::real(x - y);
  if (symbol == "*") return Value::real(x * y);
  if (symbol == "/") return Value::real(x / y);
  if (symbol == "//") return Value::real(floor_of_quotient(x, y));
  return Value::real(symbol == "%" ? rest_of(x, y) : real_power(x, y));
}

Value rows_joined(Run& run, const Value& a, const Value& b) {
  Run::require_size((a.items().size() + b.items().size()) * kWeightOfValue);
  Values items = a.items();
  items.insert(items.end(), b.items().begin(), b.items().end());
  return a.is(Kind::list) ? run.list(std::move(items)) : run.tuple(std::move(items));
}

Value texts_joined(Run& run, const Value& a, const Value& b) {
  if (!a.is_markup() && !b.is_markup()) return run.text(a.bytes() + b.bytes());
  const auto part = [](const Value& v) { return v.is_markup() ? v.bytes() : escaped(v.bytes()); };
  return run.text(part(a) + part(b), true);
}

Value repeated(Run& run, const Value& value, std::int64_t count) {
  const std::size_t times = count > 0 ? static_cast<std::size_t>(count) : 0;
  const std::size_t size =
      value.is_text() ? value.bytes().size() : value.items().size() * kWeightOfValue;
  if (size > 0 && times > kLargestValue) Run::require_size(kLargestValue + 1);
  Run::require_size(size * times);
  run.count_work(size * times);
  if (value.is_text()) {
    std::string text;
    if (size > 0)
      for (std::size_t i = 0; i < times; ++i) text += value.bytes();
    return run.text(std::move(text), value.is_markup());
  }
  Values items;
  if (size > 0)
    for (std::size_t i = 0; i < times; ++i)
      items.insert(items.end(), value.items().begin(), value.items().end());
  return value.is(Kind::list) ? run.list(std::move(items)) : run.tuple(std::move(items));
}

bool is_sequence(const Value& value) { return value.is_text() || value.is_row(); }

}  // namespace

std::int64_t whole_sum(std::int64_t a, std::int64_t b) { return whole_result('+', a, b).whole(); }

Value calculated(Run& run, std::string_view symbol, const Value& a, const Value& b) {
  run.count_step();
  if (symbol == "%" && a.is_text()) return percent_formatted(run, a, b);
  if (a.is_undefined() || b.is_undefined()) fail_to_join(symbol, a, b);
  if (a.is_number() && b.is_number()) return number_result(symbol, a, b);
  if (symbol == "+" && a.is_text() && b.is_text()) return texts_joined(run, a, b);
  if (symbol == "+" && a.is_row() && a.kind() == b.kind()) return rows_joined(run, a, b);
  if (symbol == "*" && is_sequence(a) && b.is_whole()) return repeated(run, a, b.whole());
  if (symbol == "*" && is_sequence(b) && a.is_whole()) return repeated(run, b, a.whole());
  if (symbol == "-" && a.is(Kind::view) && a.view().kind != ViewKind::values)
    refuse("a difference of names");
  fail_to_join(symbol, a, b);
}

Value negated(const Value& value, bool is_positive) {
  if (value.is_undefined()) fail(value.reason());
  if (!value.is_number()) fail(fmt::format("-: expected a number, got {}", kind_name(value)));
  if (!value.is_whole()) return Value::real(is_positive ? value.real() : -value.real());
  return is_positive ? Value::integer(value.whole()) : whole_result('-', 0, value.whole());
}

}  // namespace attend::chat_template
