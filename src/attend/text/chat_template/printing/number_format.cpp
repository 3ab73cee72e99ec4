#include "attend/text/chat_template/printing/number_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/chat_template/printing/printing.h"

namespace attend::chat_template {
namespace {

constexpr std::string_view kAligns = "<>^=";
constexpr int kMostDigits = 500;

[[noreturn]] void fail_for(const Value& value, const NumberFormat& format) {
  fail(fmt::format("a format: {} cannot be written with {}", kind_name(value),
                   format.type == 0 ? std::string("it") : quote(std::string(1, format.type))));
}

std::size_t read_digits(std::string_view text, std::size_t& at) {
  std::size_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    number = number * 10 + static_cast<std::size_t>(text[at] - '0');
    Run::require_size(number);
  }
  return number;
}

struct Digits {
  std::string sign, prefix, body;
};

std::string grouped(const std::string& digits, char group, std::size_t size) {
  std::string result;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % size == 0) result += group;
    result += digits[i];
  }
  return result;
}

std::string sign_of(bool is_negative, char sign) {
  if (is_negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

Digits digits_of_whole(std::int64_t whole, const NumberFormat& format) {
  Digits digits{sign_of(whole < 0, format.sign), "", ""};
  const std::uint64_t size = whole < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(whole)
                                       : static_cast<std::uint64_t>(whole);
  switch (format.type) {
    case 'b':
      digits.body = fmt::format("{:b}", size);
      break;
    case 'o':
      digits.body = fmt::format("{:o}", size);
      break;
    case 'x':
      digits.body = fmt::format("{:x}", size);
      break;
    case 'X':
      digits.body = fmt::format("{:X}", size);
      break;
    default:
      digits.body = fmt::format("{}", size);
  }
  const bool is_decimal = format.type == 0 || format.type == 'd';
  if (format.is_alternate && !is_decimal) digits.prefix = std::string("0") + format.type;
  if (format.group == ',' && !is_decimal) refuse("a format with ','");
  if (format.group != 0) digits.body = grouped(digits.body, format.group, is_decimal ? 3 : 4);
  return digits;
}

// Like %g, but a number without exponent has a fraction.
std::string general_with_fraction(double number, int precision) {
  std::string text = fmt::format("{:.{}g}", number, std::max(precision, 1));
  const int exponent = number == 0 ? 0 : static_cast<int>(std::floor(std::log10(number)));
  if (text.find_first_of(".e") == text.npos && exponent >= std::max(precision, 1) - 1)
    refuse("a format without a type for such a number");
  return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

Digits digits_of_real(double number, const NumberFormat& format) {
  Digits digits{sign_of(std::signbit(number), format.sign), "", ""};
  const double size = std::abs(number);
  const int precision = format.precision < 0 ? 6 : format.precision;
  if (precision > kMostDigits)
    refuse(fmt::format("a format with more than {} digits", kMostDigits));
  if (format.is_alternate) refuse("a format with '#' of a number with a fraction");
  if (std::isnan(number) || std::isinf(number)) {
    digits.body = std::isnan(number) ? "nan" : "inf";
    if (std::isnan(number)) digits.sign = sign_of(false, format.sign);
    if (format.type == 'E' || format.type == 'F' || format.type == 'G')
      for (char& c : digits.body) c = static_cast<char>(c - 'a' + 'A');
    if (format.type == '%') digits.body += '%';
    return digits;
  }
  switch (format.type) {
    case 'e':
      digits.body = fmt::format("{:.{}e}", size, precision);
      break;
    case 'E':
      digits.body = fmt::format("{:.{}E}", size, precision);
      break;
    case 'f':
    case 'F':
      digits.body = fmt::format("{:.{}f}", size, precision);
      break;
    case '%':
      digits.body = fmt::format("{:.{}f}%", size * 100, precision);
      break;
    case 'g':
      digits.body = fmt::format("{:.{}g}", size, std::max(precision, 1));
      break;
    case 'G':
      digits.body = fmt::format("{:.{}G}", size, std::max(precision, 1));
      break;
    default:
      digits.body =
          format.precision < 0 ? shown_number(size) : general_with_fraction(size, format.precision);
  }
  if (format.group != 0) {
    const std::size_t end = std::min(digits.body.find_first_of(".e%"), digits.body.size());
    digits.body = grouped(digits.body.substr(0, end), format.group, 3) + digits.body.substr(end);
  }
  return digits;
}

std::string formatted_text(Run& run, const Value& value, const NumberFormat& format) {
  if (format.align == '=' || format.sign != '-' || format.group != 0 || format.is_alternate ||
      (format.type != 0 && format.type != 's'))
    fail_for(value, format);
  std::string text = value.bytes();
  if (format.precision >= 0) {
    std::size_t end = 0;
    for (int i = 0; i < format.precision && end < text.size(); ++i) next_code_point(text, end);
    text.resize(end);
  }
  return in_field(run, std::move(text), format, '<');
}

std::string formatted_number(Run& run, const Value& value, const NumberFormat& format) {
  const bool is_real_type =
      format.type != 0 && std::string_view("eEfFgG%").find(format.type) != std::string_view::npos;
  if (format.type == 'n' || format.type == 'c') refuse(fmt::format("the format '{}'", format.type));
  if (!is_real_type && format.type != 0 &&
      (value.is(Kind::real) ||
       std::string_view("bdoxX").find(format.type) == std::string_view::npos))
    fail_for(value, format);
  const bool is_real = value.is(Kind::real) || is_real_type;
  if (!is_real && format.precision >= 0) fail("a format: whole numbers have no precision");
  if (value.is_whole() && is_real && std::abs(value.real()) > 9e15)
    refuse("a format of a large number");
  if (format.group != 0 && format.align == '=') refuse("a format with zeros and groups");
  const Digits digits =
      is_real ? digits_of_real(value.real(), format) : digits_of_whole(value.whole(), format);
  const std::string head = digits.sign + digits.prefix;
  if (format.align != '=') return in_field(run, head + digits.body, format, '>');
  NumberFormat rest = format;
  rest.align = '>';
  rest.width = format.width > head.size() ? format.width - head.size() : 0;
  return head + in_field(run, digits.body, rest, '>');
}

}  // namespace

NumberFormat read_format(std::string_view text) {
  NumberFormat format;
  std::size_t at = 0, fill_end = 0;
  if (!text.empty()) next_code_point(text, fill_end);
  if (fill_end > 0 && fill_end < text.size() && kAligns.find(text[fill_end]) != kAligns.npos) {
    format.fill = text.substr(0, fill_end);
    format.align = text[fill_end];
    at = fill_end + 1;
  } else if (!text.empty() && kAligns.find(text[0]) != kAligns.npos) {
    format.align = text[0];
    at = 1;
  }
  const bool has_fill = at > 1;
  const auto is = [&](std::string_view any) {
    return at < text.size() && any.find(text[at]) != any.npos;
  };
  if (is("+- ")) format.sign = text[at++];
  if (is("z")) refuse("the format 'z'");
  if (is("#")) format.is_alternate = text[at++] == '#';
  if (is("0")) {
    ++at;
    if (!has_fill) format.fill = "0";
    if (format.align == 0) format.align = 'z';  // as "=", of numbers
  }
  format.width = read_digits(text, at);
  if (is(",_")) format.group = text[at++];
  if (is(".")) {
    const std::size_t begin = ++at;
    format.precision = static_cast<int>(read_digits(text, at));
    if (at == begin) fail("a format: expected digits after the point");
  }
  if (at < text.size()) format.type = text[at++];
  if (at < text.size()) fail(fmt::format("a format: unexpected {}", quote(std::string(text))));
  return format;
}

std::string in_field(Run& run, std::string text, const NumberFormat& format, char usual) {
  const std::size_t size = count_code_points(text);
  if (size >= format.width) return text;
  const std::size_t missing = format.width - size;
  Run::require_size(missing * format.fill.size());
  run.count_work(missing * format.fill.size());
  const char align = format.align == 0 ? usual : format.align;
  const std::size_t before = align == '>' ? missing : (align == '^' ? missing / 2 : 0);
  std::string result;
  for (std::size_t i = 0; i < before; ++i) result += format.fill;
  result += text;
  for (std::size_t i = before; i < missing; ++i) result += format.fill;
  return result;
}

std::string formatted(Run& run, const Value& value, const NumberFormat& given) {
  NumberFormat format = given;
  const bool has_zeros = format.align == 'z';
  if (has_zeros) format.align = value.is_text() ? '<' : '=';
  if (value.is_markup()) refuse("a format of a text that is marked as safe");
  if (value.is_text()) return formatted_text(run, value, format);
  if (value.is_number()) return formatted_number(run, value, format);
  fail(fmt::format("a format: expected a string or a number, got {}", kind_name(value)));
}

}  // namespace attend::chat_template
