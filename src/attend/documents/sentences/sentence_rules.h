// What languages say of periods: abbreviations, ordinals, words that begin sentences. The folder
// `languages` has a file for each, whose lines are a key and its words:
//
//   never: Dr z.B      a period after them ends no sentence: titles, what introduces something
//   seldom: Jan Inc    it does only before a word of `starts`
//   numbered: Nr S     it does not before a number
//   units: Std         after a number it may; else as `seldom`
//   may: a.m usw       it may, although they look like abbreviations that do not
//   starts: The It     words that often begin sentences, as they stand there
//   months: Januar     a number and its period before them are an ordinal
//   ordinals: names    so they are before a number, and before any capital that is not of `starts`;
//                      `numbers`: only before a number
//   stops: ;           marks that end sentences in this language only
//   periods: none      a period ends no sentence
//   with: en           words and marks of that language, too
//
// Words have no period at their end. "z.B" is also "z. B.". A small letter at the beginning of a
// longer word is also a capital.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace attend {

class SentenceRules {
 public:
  // What is said of a word, as bits. kPart: it is a later part of one, as "B" of "z.B".
  enum Fact : std::uint8_t {
    kNever = 1,
    kSeldom = 2,
    kNumbered = 4,
    kUnit = 8,
    kMay = 16,
    kStart = 32,
    kMonth = 64,
    kPart = 128
  };
  enum class Ordinals : std::uint8_t { none, before_numbers, before_names };

  // The rules of a language (sentences.h), read once. Without rules of its own it has those of a
  // relative, else those of its script, else of the script that `text` begins with.
  static const SentenceRules& of(std::string_view language, std::string_view text);

  // All facts about a word.
  unsigned facts(std::string_view word) const;
  Ordinals ordinals() const { return ordinals_; }
  bool has_periods() const { return has_periods_; }
  // Whether the language has this stop besides those of all.
  bool has_stop(char32_t c) const { return stops_.find(c) != stops_.npos; }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  static SentenceRules read(std::string_view name);
  void read_line(std::string_view key, std::string_view words);
  void add(std::string_view word, Fact fact);
  void add_all(const SentenceRules& other);

  std::unordered_map<std::string, std::uint8_t, Hash, std::equal_to<>> facts_;
  Ordinals ordinals_ = Ordinals::none;
  bool has_periods_ = true;
  std::u32string stops_;
};

}  // namespace attend
