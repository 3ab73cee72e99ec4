// The numbers of a text and of its translation, by their values: 1,000.5 = 1.000,5 = 1 000,5, in
// the digits of any script.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

// The numbers of one text that the other one lacks. A number that may be a word in the other text
// is in neither: those that are small or round, unless the other text has another number instead.
// Parts of dates may come in any order, clocks may have 12 or 24 hours, and 1.5 million is 1500000.
struct NumberDifference {
  std::vector<std::string> missing;  // in the translation, as the source has them
  std::vector<std::string> added;    // by the translation

  bool empty() const { return missing.empty() && added.empty(); }
};
NumberDifference number_difference(std::string_view source, std::string_view translation);

// A number as a text has it, with what it may mean.
struct TextNumber {
  std::string text;
  // In decimal, without leading zeros and without zeros at the end of a fraction: "1000.5". Two for
  // 1.000, which is 1000 or 1.
  std::vector<std::string> values;
  std::vector<std::string> parts = {};  // of 12 345 and 10.30, which may be two
  bool is_of_clock = false;             // 10:30
  bool is_scaled = false;               // 5 million
};
std::vector<TextNumber> numbers_of(std::string_view text);

}  // namespace attend
