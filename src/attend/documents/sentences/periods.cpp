#include "attend/documents/sentences/periods.h"

#include <algorithm>
#include <string>
#include <vector>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/sentences/sentence_marks.h"

namespace attend {
namespace {

// Longer words are no abbreviations.
constexpr std::size_t kMostOfWord = 40;
constexpr int kMostParts = 4;
// Bytes of "2.1.3.6".
constexpr std::size_t kMostOfListNumber = 8;

bool is_apostrophe(char32_t c) { return c == U'\'' || c == U'’'; }

// Whether a word begins after this character. Quotes between letters, as in Hebrew, are part of it.
bool ends_word_before(char32_t c, std::string_view text, std::size_t begin) {
  if (c == U'"' && begin > 0) return !unicode::is_letter(character_before(text, begin).character);
  return is_white_space(c) || is_written_without_spaces(c) || stands_before_sentence(c) ||
         closes_quote(c) || closes_bracket(c) || c == U'/' || c == U'&' || c == U'=' || c == U'+' ||
         c == U',' || c == U':';
}

// The word that ends at byte `end`, without spaces, quotes, brackets and hyphens; empty if it is
// too long.
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  for (std::size_t count = 0; begin > 0; ++count) {
    const CharacterBefore before = character_before(text, begin);
    if (ends_word_before(before.character, text, before.begin)) break;
    if (count == kMostOfWord) return {};
    begin = before.begin;
  }
  return text.substr(begin, end - begin);
}

// The word that begins at byte `begin`: letters, and an apostrophe after them, as a straight one.
std::string word_after(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  for (std::size_t count = 0; end < text.size() && count < kMostOfWord; ++count) {
    std::size_t after = end;
    const char32_t c = next_code_point(text, after);
    if (is_apostrophe(c)) return std::string(text.substr(begin, end - begin)) + "'";
    if (!unicode::is_letter(c) && !unicode::is_mark(c)) break;
    end = after;
  }
  return std::string(text.substr(begin, end - begin));
}

bool is_roman(std::string_view word) {
  return !word.empty() && word.size() <= 6 && word.find_first_not_of("IVXLC") == word.npos;
}

// The letters of a word without its marks; 0 if something else is in it.
std::size_t count_letters(std::string_view word) {
  std::size_t letters = 0;
  for (const char32_t c : unicode::decode(word)) {
    if (unicode::is_mark(c)) continue;
    if (!unicode::is_letter(c)) return 0;
    ++letters;
  }
  return letters;
}

bool is_thai(std::string_view word) {
  std::size_t at = 0;
  const char32_t c = next_code_point(word, at);
  return c >= 0xe00 && c < 0xf00;
}

// "U.S", "z.B", "Ph.D": short parts. Thai has no space before them.
bool is_dotted(std::string_view word) {
  bool has_period = false;
  for (std::size_t begin = 0; begin <= word.size();) {
    const std::size_t end = std::min(word.find('.', begin), word.size());
    const std::string_view part = word.substr(begin, end - begin);
    const std::size_t letters = count_letters(part);
    if (letters == 0) return false;
    if (letters > 3 && !(begin == 0 && is_thai(part))) return false;
    has_period = has_period || end < word.size();
    begin = end + 1;
  }
  return has_period;
}

bool is_initial(std::string_view word) {
  std::size_t at = 0;
  return can_be_initial(next_code_point(word, at)) && count_letters(word) == 1;
}

// "a" in "a. First", but no word such as 네.
bool is_letter_of_list(std::string_view word) {
  std::size_t at = 0;
  return is_initial(word) || (is_small(next_code_point(word, at)) && at == word.size());
}

// Digits, perhaps with periods between them.
struct Number {
  std::size_t digits = 0;  // after the last period
  bool has_periods = false;
};
Number number_in(std::string_view word) {
  Number number;
  for (const char32_t c : unicode::decode(word)) {
    if (c == U'.' && number.digits > 0) {
      number = {0, true};
    } else if (unicode::is_digit(c)) {
      ++number.digits;
    } else {
      return {};
    }
  }
  return number;
}

std::size_t begin_in(std::string_view text, std::string_view word) {
  return static_cast<std::size_t>(word.data() - text.data());
}

// The end of the text before the spaces that end at `end`.
std::size_t before_spaces(std::string_view text, std::size_t end) {
  for (int spaces = 0; end > 0 && spaces < 2; ++spaces) {
    const CharacterBefore before = character_before(text, end);
    if (!is_white_space(before.character)) break;
    end = before.begin;
  }
  return end;
}

// "There are two: 1. First"
bool follows_colon(std::string_view text, std::size_t begin) {
  const std::size_t end = before_spaces(text, begin);
  return end > 0 && end < begin && (text[end - 1] == ':' || text[end - 1] == ';');
}

// What is known of the word and of what it ends: of "B" and of "z.B" in "z. B."
unsigned facts_with_parts(std::string_view text, std::string_view word,
                          const SentenceRules& rules) {
  unsigned facts = rules.facts(word);
  std::string parts(word);
  const bool is_part = facts & SentenceRules::kPart;
  for (int count = 1; is_part && count < kMostParts && !word.empty(); ++count) {
    const std::size_t end = before_spaces(text, begin_in(text, word));
    if (end == 0 || end == begin_in(text, word) || text[end - 1] != '.') break;
    word = word_before(text, end - 1);
    parts = std::string(word) + "." + parts;
    facts |= rules.facts(parts);
  }
  return facts;
}

// "1990" or "XIX" before "г".
bool number_stands_before(std::string_view text, std::string_view word) {
  const std::size_t end = before_spaces(text, begin_in(text, word));
  if (end == 0) return false;
  const char32_t last = character_before(text, end).character;
  return unicode::is_digit(last) ||
         std::u32string_view(U"IVXІХ").find(last) != std::u32string_view::npos;
}

// The first character of the word at byte `begin`; 0 at the end of the text.
char32_t first_at(std::string_view text, std::size_t begin) {
  return begin < text.size() ? next_code_point(text, begin) : 0;
}

// Whether the next word begins a sentence more often than not: "The", but not "I" in "A. I. Rabin".
bool is_start(std::string_view text, std::size_t begin, std::string_view word,
              const SentenceRules& rules) {
  const std::size_t end = begin + word.size();
  const bool is_initial = count_letters(word) == 1 && end < text.size() && text[end] == '.';
  return !is_initial && (rules.facts(word) & SentenceRules::kStart);
}

// Whether a number with a period is an ordinal before this word.
bool is_ordinal(Number number, std::string_view next, char32_t first, const SentenceRules& rules) {
  using Ordinals = SentenceRules::Ordinals;
  if (rules.ordinals() == Ordinals::none || number.digits > 2) return false;
  if (unicode::is_digit(first)) return true;
  const unsigned facts = rules.facts(next);
  if (facts & SentenceRules::kMonth) return true;
  return rules.ordinals() == Ordinals::before_names && !number.has_periods &&
         !(facts & SentenceRules::kStart);
}

}  // namespace

bool belongs_to_word(const Period& period, const SentenceRules& rules) {
  const std::string_view word = word_before(period.text, period.at);
  if (word.empty()) return false;
  if (ends_enumerator(period)) return true;
  const std::string next = word_after(period.text, period.next);
  const char32_t first = first_at(period.text, period.next);
  if (const Number number = number_in(word); number.digits > 0)
    return is_ordinal(number, next, first, rules);

  const unsigned facts = facts_with_parts(period.text, word, rules);
  if (facts & SentenceRules::kNever) return true;
  if ((facts & SentenceRules::kNumbered) && (unicode::is_digit(first) || is_roman(next)))
    return true;
  if (facts & SentenceRules::kMay) return false;
  if ((facts & SentenceRules::kUnit) && number_stands_before(period.text, word)) return false;
  const bool is_roman_ordinal =
      rules.ordinals() == SentenceRules::Ordinals::before_names && is_roman(word);
  const bool is_short = (facts & (SentenceRules::kSeldom | SentenceRules::kUnit)) ||
                        is_roman_ordinal || is_initial(word) || is_dotted(word);
  return is_short && !is_start(period.text, period.next, next, rules);
}

bool ends_enumerator(const Period& period) {
  const std::string_view word = word_before(period.text, period.at);
  if (word.empty()) return false;
  const std::size_t begin = begin_in(period.text, word);
  const Number number = number_in(word);
  if (number.digits > 0 && number.digits <= 3 && word.size() <= kMostOfListNumber &&
      follows_colon(period.text, begin))
    return true;
  if (begin != period.sentence) return false;
  return (number.digits > 0 && number.digits <= 3) || is_letter_of_list(word) || is_roman(word);
}

}  // namespace attend
