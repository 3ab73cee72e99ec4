// Numbers as text and back, as std::to_chars and std::from_chars of later libraries have them; and functions of systems that pages lack.
#include <emscripten.h>
#include <fmt/format.h>

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

_LIBCPP_BEGIN_NAMESPACE_STD
namespace {

to_chars_result written(char* first, char* last, string_view text) {
  if (static_cast<size_t>(last - first) < text.size()) return {last, errc::value_too_large};
  memcpy(first, text.data(), text.size());
  return {first + text.size(), errc{}};
}

template <class Number>
string scientific(Number value, bool negative) {
  const auto decimal = fmt::detail::dragonbox::to_decimal(value);
  string digits = fmt::format("{}", decimal.significand);
  const int exponent = decimal.exponent + static_cast<int>(digits.size()) - 1;
  if (digits.size() > 1) digits.insert(1, ".");
  return fmt::format("{}{}e{}{:02}", negative ? "-" : "", digits, exponent < 0 ? '-' : '+', abs(exponent));
}

// Large numbers have all their digits, as printf() has them.
template <class Number>
string fixed_point(Number value, bool negative) {
  const auto decimal = fmt::detail::dragonbox::to_decimal(value);
  string digits = fmt::format("{}", decimal.significand);
  const int whole = static_cast<int>(digits.size()) + decimal.exponent;
  if (decimal.exponent >= 0)
    digits = fmt::format("{:.0f}", double{value});
  else if (whole > 0)
    digits.insert(static_cast<size_t>(whole), ".");
  else
    digits = "0." + string(static_cast<size_t>(-whole), '0') + digits;
  return (negative ? "-" : "") + digits;
}

// The shorter of both.
template <class Number>
string shortest(Number value) {
  const bool negative = signbit(value);
  if (isnan(value)) return negative ? "-nan" : "nan";
  if (isinf(value)) return negative ? "-inf" : "inf";
  if (value == 0) return negative ? "-0" : "0";
  const string with_exponent = scientific(abs(value), negative);
  const int exponent = atoi(with_exponent.c_str() + with_exponent.find('e') + 1);
  if (exponent < -20 || exponent > 40) return with_exponent;  // zeros would be more
  const string without = fixed_point(abs(value), negative);
  return without.size() <= with_exponent.size() ? without : with_exponent;
}

// The end of the number that the text begins with; its begin if there is none.
const char* end_of_number(const char* at, const char* last) {
  const auto begins_with = [&](string_view word) {
    if (static_cast<size_t>(last - at) < word.size()) return false;
    for (size_t i = 0; i < word.size(); ++i)
      if ((at[i] | 0x20) != word[i]) return false;
    return true;
  };
  const auto digits = [&] {
    const char* const begin = at;
    while (at != last && *at >= '0' && *at <= '9') ++at;
    return at - begin;
  };
  const char* const first = at;
  if (at != last && *at == '-') ++at;
  if (begins_with("infinity")) return at + 8;
  if (begins_with("inf") || begins_with("nan")) return at + 3;
  auto found = digits();
  if (at != last && *at == '.') {
    ++at;
    found += digits();
  }
  if (found == 0) return first;
  const char* const end = at;
  if (at == last || (*at | 0x20) != 'e') return end;
  ++at;
  if (at != last && (*at == '-' || *at == '+')) ++at;
  return digits() == 0 ? end : at;
}

template <class Number, class Read>
from_chars_result number_from(const char* first, const char* last, Number& value, Read read) {
  const char* const end = end_of_number(first, last);
  if (end == first) return {first, errc::invalid_argument};
  const string text(first, end);
  errno = 0;
  const Number found = read(text.c_str(), nullptr);
  if (errno == ERANGE && (isinf(found) || found == 0)) return {end, errc::result_out_of_range};
  value = found;
  return {end, errc{}};
}

}  // namespace

to_chars_result to_chars(char* first, char* last, float value) { return written(first, last, shortest(value)); }
to_chars_result to_chars(char* first, char* last, double value) { return written(first, last, shortest(value)); }
to_chars_result to_chars(char* first, char* last, double value, chars_format) {
  const bool plain = !isfinite(value) || value == 0;
  const string zero = signbit(value) ? "-0e+00" : "0e+00";
  return written(first, last, plain ? (value == 0 ? zero : shortest(value)) : scientific(abs(value), signbit(value)));
}
from_chars_result from_chars(const char* first, const char* last, float& value, chars_format) {
  return number_from(first, last, value, strtof);
}
from_chars_result from_chars(const char* first, const char* last, double& value, chars_format) {
  return number_from(first, last, value, strtod);
}

_LIBCPP_END_NAMESPACE_STD

// Of the system, which is a page: files in memory are files of its file system, there are no other processes, and as many processors as the page
// wants to use (browser/engine.js).
EM_JS(int, processors_of_page, (), { return Module["processors"] || 1; });

extern "C" {

int memfd_create(const char*, unsigned) {
  char name[] = "/tmp/memoryXXXXXX";
  const int file = mkstemp(name);
  if (file >= 0) unlink(name);
  return file;
}

int prctl(int, ...) {
  errno = ENOSYS;
  return -1;
}

int sched_getaffinity(int, size_t size, cpu_set_t* set) {
  CPU_ZERO_S(size, set);
  const int processors = processors_of_page();
  for (int processor = 0; processor < processors; ++processor) CPU_SET_S(processor, size, set);
  return 0;
}

}  // extern "C"

// Of Highway's library, whose headers are enough otherwise: there is one set of instructions.
namespace hwy {
void DisableTargets(int64_t) {}
}  // namespace hwy
