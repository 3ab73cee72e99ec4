// Ranges of numbers from outside: flags, keys of configuration files, metadata of models.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

#include "attend/core/options/option_error.h"
#include "attend/error.h"

namespace attend {

// From `least` to `most`; either end may be excluded. NaN and infinities are in no range. The
// bounds are rounded to the type of the number, so that a float read from "1e-6" is in a range that
// begins at 1e-6.
struct NumberRange {
  double least = 0;
  double most = 0;
  bool least_excluded = false;
  bool most_excluded = false;

  template <class Number>
  bool contains(Number number) const {
    using Bound = std::conditional_t<std::is_same_v<Number, float>, float, double>;
    const auto value = static_cast<Bound>(number), low = static_cast<Bound>(least),
               high = static_cast<Bound>(most);
    return (least_excluded ? value > low : value >= low) &&
           (most_excluded ? value < high : value <= high);  // false for NaN
  }
  // Whether it includes every value of an integer type.
  bool is_open() const { return most == std::numeric_limits<double>::max(); }
};

// [least, most].
constexpr NumberRange between(double least, double most) { return {least, most}; }
// (least, most].
constexpr NumberRange above(double least, double most) {
  return {.least = least, .most = most, .least_excluded = true};
}
// [0, 1), for a probability or a decay.
constexpr NumberRange below_one() { return {.least = 0, .most = 1, .most_excluded = true}; }
// For dropout shares: masks of 16 bits must not round to dropping everything (ops/check.h).
constexpr NumberRange dropout_shares() { return between(0, 0.9999); }
// Any integer of 64 bits: for seeds. A negative one stands for the unsigned one with its bits.
constexpr NumberRange any_seed() { return {0, std::numeric_limits<double>::max()}; }

// How many there are of something.
inline constexpr NumberRange kCounts = between(0, 1e15);

// The size of a vocabulary: shared by training, sampling and shortlists.
inline constexpr NumberRange kVocabularySizes = between(1, 1 << 24);

// "from 0 to 1024", "from 0 to below 1", "above 0 up to 1".
std::string range_text(const NumberRange& range);
// "a whole number from 0 to 1024", "a number above 0 up to 1".
std::string expected_number(const NumberRange& range, bool whole);

// Throws ConfigError "<name>: expected a whole number from 0 to 1024, got 200000" for an option.
template <class Number>
void require_in_range(std::string_view name, Number value, const NumberRange& range) {
  if (range.contains(value)) return;
  throw OptionError<ConfigError>("{}: expected {}, got {}", as_key(name),
                                 expected_number(range, std::is_integral_v<Number>), value);
}

}  // namespace attend
