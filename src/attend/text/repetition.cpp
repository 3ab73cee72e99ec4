#include "attend/text/repetition.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "attend/text/words.h"

namespace attend {

namespace {

constexpr std::size_t kLongestCircle = 24;  // in words, or in characters of a word
constexpr std::size_t kSequence = 4;        // words that may not occur too often
// Characters of a script without spaces that count as a word.
constexpr std::size_t kCharactersOfAWord = 2;

// `times` copies of the `length` elements from `begin` on.
struct Circle {
  std::size_t begin = 0, length = 0, times = 1;
};

// The circle of this length that comes round most often; the first one of several.
template <class Element>
Circle circle_of(std::span<const Element> elements, std::size_t length) {
  Circle best{0, length, 1};
  std::size_t equal = 0;  // elements so far that are equal to the one a circle before
  for (std::size_t i = length; i < elements.size(); ++i) {
    equal = elements[i] == elements[i - length] ? equal + 1 : 0;
    const std::size_t times = 1 + equal / length;
    if (times > best.times) best = {i + 1 - times * length, length, times};
  }
  return best;
}

std::size_t most_times(std::span<const TextWord> words) {
  std::size_t most = 1;
  for (std::size_t length = 1; length <= kLongestCircle; ++length)
    most = std::max(most, circle_of(words, length).times);
  return most;
}

std::string joined(std::span<const TextWord> words) {
  std::string text;
  for (const TextWord& word : words) {
    if (!text.empty() && !word.is_character) text += ' ';
    text += word.text;
  }
  return text;
}

std::size_t unit_of(std::span<const TextWord> words) {
  return std::any_of(words.begin(), words.end(),
                     [](const TextWord& word) { return word.is_character; })
             ? kCharactersOfAWord
             : 1;
}

// Three times, or twice if it is long; the source may have a circle that comes round less often.
std::string repeated_words(std::span<const TextWord> source, std::span<const TextWord> words) {
  const std::size_t of_source = most_times(source);
  for (std::size_t length = 1; length <= std::min(kLongestCircle, words.size()); ++length) {
    const Circle circle = circle_of(words, length);
    const auto part = words.subspan(circle.begin, length);
    const std::size_t unit = unit_of(part);
    const bool is_long = length >= kSequence * unit;
    const bool is_often = circle.times >= 3 && length * circle.times >= (unit > 1 ? 8 : 3);
    if (of_source >= 2 ? circle.times >= of_source + 2 : is_often || (is_long && circle.times >= 2))
      return joined(part);
  }
  return "";
}

using Counts = std::map<std::string, std::size_t>;

Counts sequences_of(std::span<const TextWord> words) {
  Counts counts;
  const std::size_t length = kSequence * unit_of(words);
  for (std::size_t i = 0; i + length <= words.size(); ++i)
    ++counts[joined(words.subspan(i, length))];
  return counts;
}

std::pair<std::string, std::size_t> most_frequent_of(const Counts& counts) {
  std::pair<std::string, std::size_t> most{"", 0};
  for (const auto& [sequence, count] : counts)
    if (count > most.second) most = {sequence, count};
  return most;
}

std::string frequent_sequence(std::span<const TextWord> source, std::span<const TextWord> words) {
  const auto own = most_frequent_of(sequences_of(words));
  return own.second >= 3 && own.second >= most_frequent_of(sequences_of(source)).second + 2
             ? own.first
             : "";
}

// "hahahahahaha": four times, and twelve characters.
std::string repeated_letters(const std::string& word) {
  const std::vector<std::string_view> characters = characters_of(word);
  for (std::size_t length = 1; length <= kLongestCircle; ++length) {
    const Circle circle = circle_of(std::span<const std::string_view>(characters), length);
    if (circle.times < 4 || circle.times * length < 12) continue;
    std::string part;
    for (std::size_t i = 0; i < length; ++i) part += characters[circle.begin + i];
    return part;
  }
  return "";
}

std::string letters_again(std::span<const TextWord> words) {
  for (const TextWord& word : words)
    if (std::string part = repeated_letters(word.text); !part.empty()) return part;
  return "";
}

}  // namespace

std::string repeated_part(std::string_view source, std::string_view translation) {
  const std::vector<TextWord> src = lower_words_of_text(source),
                              tgt = lower_words_of_text(translation);
  if (std::string part = repeated_words(src, tgt); !part.empty()) return part;
  if (std::string part = frequent_sequence(src, tgt); !part.empty()) return part;
  return letters_again(src).empty() ? letters_again(tgt) : "";
}

}  // namespace attend
