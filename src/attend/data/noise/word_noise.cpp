#include "attend/data/noise/word_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "attend/core/strings/unicode.h"

namespace attend {

namespace {

// A word goes to the place i + uniform(0, swap + 1), so that none moves by more than `swap` places
// (Lample et al. 2018).
std::vector<std::string_view> swapped(const std::vector<std::string_view>& words, int swap,
                                      Random& random) {
  std::vector<std::pair<double, std::string_view>> placed;
  for (const std::string_view word : words)
    placed.emplace_back(static_cast<double>(placed.size()) + double{random.uniform()} * (swap + 1),
                        word);
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string_view> order;
  for (const auto& [place, word] : placed) order.push_back(word);
  return order;
}

}  // namespace

std::string with_word_noise(std::string_view text, const WordNoise& noise, Random& random) {
  std::vector<std::string_view> words;
  for (const std::string_view word : unicode::split(text)) {
    if (random.uniform() < noise.drop) continue;
    words.push_back(random.uniform() < noise.blank ? kBlankWord : word);
  }
  if (words.empty()) return std::string(text);
  if (noise.swap > 0) words = swapped(words, noise.swap, random);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace attend
