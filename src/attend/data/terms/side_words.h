// One side of a parallel text as words, and the lines that each of them is in.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "attend/nn/ragged.h"

namespace attend {

class SideWords {
 public:
  // Stands between words of a line that anything but a space separates.
  static constexpr std::int32_t kBreak = -1;
  enum class Case { small, capital, unknown };

  struct Word {
    std::string written;              // "Bank" and "bank" are two words
    std::u32string small;             // in small letters
    std::u32string bare;              // and without marks
    Case begins = Case::unknown;      // unknown if it only begins lines
    std::vector<std::int32_t> lines;  // ascending
  };

  // The first word of a line is the one that is more frequent within lines, if there is one.
  explicit SideWords(std::span<const std::string> lines);

  const std::vector<Word>& words() const { return words_; }
  // The numbers of the words of a line.
  std::span<const std::int32_t> line(std::int64_t i) const { return lines_[i]; }
  // The words whose bare letters begin like those of another word, with the same three.
  std::span<const std::int32_t> beginning_like(std::u32string_view bare) const;
  const std::map<std::u32string, std::vector<std::int32_t>>& by_beginning() const {
    return by_beginning_;
  }

 private:
  void add_word(std::string written,
                const std::unordered_map<std::string, std::int64_t>& counts_within);

  std::vector<Word> words_;
  Ragged lines_;
  std::map<std::u32string, std::vector<std::int32_t>> by_beginning_;
};

// The letters of a word in small ones, and those without marks.
std::u32string small_letters(std::string_view word);
std::u32string bare_letters(std::u32string_view small);

// The words of a text: letters and digits, and hyphens between them. `break_before`: anything but a
// single space separates it from the word before.
struct PlainWord {
  std::string_view text;
  bool break_before = false;
};
std::vector<PlainWord> plain_words(std::string_view text);

}  // namespace attend
