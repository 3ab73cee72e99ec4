// Included first wherever attend is compiled for browsers: what the C++ library of Debian 12's Emscripten, of 2021, does not have.
#pragma once
#include <algorithm>
#include <bit>
#include <charconv>
#include <compare>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#if _LIBCPP_VERSION < 14000
_LIBCPP_BEGIN_NAMESPACE_STD

template <class To, class From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

template <class Char>
span(basic_string_view<Char>&) -> span<const Char>;
template <class Char>
span(const basic_string_view<Char>&) -> span<const Char>;

to_chars_result to_chars(char* first, char* last, float value);
to_chars_result to_chars(char* first, char* last, double value);
to_chars_result to_chars(char* first, char* last, double value, chars_format format);
from_chars_result from_chars(const char* first, const char* last, float& value, chars_format format = chars_format::general);
from_chars_result from_chars(const char* first, const char* last, double& value, chars_format format = chars_format::general);

template <class T>
unique_ptr<T> make_unique_for_overwrite(size_t count) {
  return unique_ptr<T>(new remove_extent_t<T>[count]);
}

template <class Char>
strong_ordering operator<=>(const basic_string<Char>& a, const basic_string<Char>& b) {
  return a.compare(b) <=> 0;
}

namespace ranges {
template <class Range, class Predicate>
auto count_if(Range&& range, Predicate predicate) {
  return std::count_if(std::begin(range), std::end(range), predicate);
}
template <class Range, class Value>
auto find(Range&& range, const Value& value) {
  return std::find(std::begin(range), std::end(range), value);
}
template <class Range, class Value, class Projection>
auto find(Range&& range, const Value& value, Projection projection) {
  return std::find_if(std::begin(range), std::end(range),
                      [&](const auto& element) { return std::invoke(projection, element) == value; });
}
template <class Range, class Predicate>
auto find_if(Range&& range, Predicate predicate) {
  return std::find_if(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool any_of(Range&& range, Predicate predicate) {
  return std::any_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool none_of(Range&& range, Predicate predicate) {
  return std::none_of(std::begin(range), std::end(range), predicate);
}
template <class Range, class Predicate>
bool all_of(Range&& range, Predicate predicate) {
  return std::all_of(std::begin(range), std::end(range), predicate);
}
template <class One, class Other>
bool equal(One&& one, Other&& other) {
  return std::equal(std::begin(one), std::end(one), std::begin(other), std::end(other));
}
}  // namespace ranges

_LIBCPP_END_NAMESPACE_STD
#endif
