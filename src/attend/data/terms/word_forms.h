// Forms of words and terms, learned from a parallel text: "chairs" of "chair", "alten Hauses" of
// "altes Haus".
//
// Words of one language are forms of one another if they begin alike, are written with the same
// case, often have the same translations, and differ as several other words of the text do
// ("chair", "chairs" as "dog", "dogs").
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/data/terms/side_words.h"

namespace attend {

class WordForms {
 public:
  // `own` and `other` are the sides of a text, which must outlive it.
  WordForms(const SideWords& own, const SideWords& other);

  struct Forms {
    std::vector<std::string> seen;    // that the text has, with the same translations
    std::vector<std::string> unsure;  // made as those of words with the same ending
  };
  // Other forms of a term of one word or several; none of a term that is more than words and single
  // spaces. `translations`: the ones of the term, in the other language.
  Forms of(const std::string& term, std::span<const std::string> translations) const;

 private:
  // What turns a word into a form: its last letters become others.
  struct Change {
    std::u32string from, to;
    bool of_stem = false;  // marks change before them, as in Buch, Bücher
    auto operator<=>(const Change&) const = default;
  };
  struct Ending {
    int words = 0;  // that have forms
    std::map<Change, int> changes;
  };
  // A word or several in a row, and what it is translated by.
  struct Unit {
    std::vector<std::int32_t> words;
    std::vector<std::int32_t> lines;
    std::vector<std::int32_t> companions;
  };

  const SideWords::Word& word(std::int32_t i) const {
    return own_.words()[static_cast<std::size_t>(i)];
  }
  static Change change(std::u32string_view word, std::u32string_view form);
  static std::u32string ending(std::u32string_view word, std::size_t letters, bool is_capital);
  void learn_companions();
  void learn_changes();
  void learn_endings(std::span<const std::vector<Change>> changes);
  std::vector<std::int32_t> companions(std::span<const std::int32_t> lines,
                                       std::vector<std::int32_t>& counts) const;
  bool have_alike(std::span<const std::int32_t> companions,
                  std::span<const std::int32_t> others) const;
  bool is_usual(const Change& change) const;
  // Whether the text has the word often enough to tell that it is no form.
  bool is_well_known(std::u32string_view small, bool is_capital) const;
  // Returns words of the text that may be a form of a word, and itself.
  std::vector<std::int32_t> candidates(const PlainWord& word) const;
  std::vector<Unit> units(std::span<const std::vector<std::int32_t>> words) const;
  std::vector<std::int32_t> words_of_translations(std::span<const std::string> translations) const;
  std::string written(const Unit& unit, std::span<const PlainWord> term) const;
  std::vector<std::string> unsure(std::string_view word) const;

  const SideWords& own_;
  const SideWords& other_;
  std::vector<std::vector<std::int32_t>> companions_;  // of each word of its own side
  std::map<Change, int> changes_;                      // how many words have them
  int most_words_ = 0;                                 // of a change
  std::map<std::u32string, Ending> endings_;
};

}  // namespace attend
