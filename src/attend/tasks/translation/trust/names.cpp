#include "attend/tasks/translation/trust/names.h"

#include <algorithm>
#include <map>
#include <set>

#include "attend/core/strings/utf8.h"
#include "attend/text/words.h"

namespace attend {

namespace {

constexpr std::size_t kLettersOfName = 3, kTextsOfName = 4, kMostNames = 10000;
constexpr double kShareOfName = 0.98;

// Without the ending of a genitive, which only one of the languages may have.
std::string without_genitive(const std::string& word) {
  for (const std::string_view ending : {"'s", "\u2019s"})
    if (word.ends_with(ending)) return word.substr(0, word.size() - ending.size());
  return word;
}

std::set<std::string> capitalized_words(std::string_view text) {
  std::set<std::string> words;
  for (const TextWord& word : words_of_text(text))
    if (is_capitalized(word.text) && count_code_points(word.text) >= kLettersOfName)
      words.insert(without_genitive(word.text));
  return words;
}

struct Occurrences {
  std::size_t texts = 0, on_both_sides = 0;
};

void count_words(const std::set<std::string>& words, const std::set<std::string>& others,
                 std::map<std::string, Occurrences>& occurrences) {
  for (const std::string& word : words) {
    Occurrences& of_word = occurrences[word];
    ++of_word.texts;
    if (others.contains(word) || others.contains(word + "s")) ++of_word.on_both_sides;
  }
}

// "Toms" and "Tom-like" have "Tom"; "Tommy" is short for nothing but may be a form of the name.
bool has_form_of(const std::vector<TextWord>& words, const std::string& name) {
  return std::any_of(words.begin(), words.end(), [&](const TextWord& word) {
    return word.text.find(name) != std::string::npos ||
           (count_code_points(word.text) >= kLettersOfName && name.starts_with(word.text));
  });
}

}  // namespace

std::vector<std::string> learn_names(std::span<const std::string> sources,
                                     std::span<const std::string> targets) {
  std::map<std::string, Occurrences> occurrences;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::set<std::string> src = capitalized_words(sources[i]),
                                tgt = capitalized_words(targets[i]);
    count_words(src, tgt, occurrences);
    count_words(tgt, src, occurrences);
  }
  std::vector<std::pair<std::size_t, std::string>> found;  // by their texts
  for (const auto& [word, of_word] : occurrences) {
    const auto share =
        static_cast<double>(of_word.on_both_sides) / static_cast<double>(of_word.texts);
    if (of_word.texts >= 2 * kTextsOfName && share >= kShareOfName)
      found.emplace_back(of_word.texts, word);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  found.resize(std::min(found.size(), kMostNames));
  std::vector<std::string> names;
  for (auto& [texts, name] : found) names.push_back(std::move(name));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> missing_names(std::span<const std::string> names, std::string_view text,
                                       std::string_view other) {
  std::vector<std::string> missing;
  if (names.empty()) return missing;
  const std::vector<TextWord> words = words_of_text(other);
  for (const std::string& word : capitalized_words(text))
    if (std::binary_search(names.begin(), names.end(), word) && !has_form_of(words, word))
      missing.push_back(word);
  return missing;
}

}  // namespace attend
