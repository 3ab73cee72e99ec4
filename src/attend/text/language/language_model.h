// A linear classifier of texts by their features, with a table of our own that is part of the
// library. tools/train_language_model.py makes it. Private to text/.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend::detail {

// Each feature has a vector, by the first bits of its hash. For a text of n features with the
// vectors v, the probability of the language l is
//
//   softmax(temperature * (sum(v) / n^damping * weights + bias))_l
//
// The file: a line of "bits dimensions damping temperature", a line of the languages, the last of
// which stands for every other script, then weights [dimensions, languages] and bias as
// little-endian floats, and the vectors as four bits for each number, the lower four first, with
// 8 for zero. Immutable.
class LanguageModel {
 public:
  // Throws DataError if it is none.
  explicit LanguageModel(std::string_view file);
  // The one of the library.
  static const LanguageModel& instance();

  // ISO 639-1 codes, and zh-Hans and zh-Hant for Chinese.
  std::span<const std::string> languages() const { return languages_; }

  // One for each language. They add up to less than 1: the rest belongs to the languages of other
  // scripts. Empty for a text without letters.
  std::vector<double> probabilities(std::string_view text) const;

 private:
  std::vector<std::string> languages_;
  std::size_t dimensions_ = 0, classes_ = 0;
  int bits_ = 0;
  double damping_ = 0, temperature_ = 0;
  std::vector<float> weights_;  // [dimensions, classes]
  std::vector<float> bias_;
  std::string_view vectors_;
};

}  // namespace attend::detail
