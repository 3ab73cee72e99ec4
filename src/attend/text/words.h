// The words of a text, as its translation is compared with it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct TextWord {
  std::string text;
  // A letter of a script that has no spaces between words: Han, kana, Thai and others.
  bool is_character = false;

  bool operator==(const TextWord&) const = default;
};

// Runs of letters, marks, digits and the apostrophes and hyphens between them.
std::vector<TextWord> words_of_text(std::string_view text);

// The same in small letters.
std::vector<TextWord> lower_words_of_text(std::string_view text);

// Whether it begins with a capital letter.
bool is_capitalized(std::string_view word);
// Whether it begins with a letter that is not a capital one.
bool is_small_word(std::string_view word);

}  // namespace attend
