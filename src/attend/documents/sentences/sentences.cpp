#include "attend/documents/sentences/sentences.h"

#include <algorithm>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/moses/moses_rules.h"

namespace attend {
namespace {

// Bytes of a part of a sentence: no model reads as many.
constexpr std::size_t kLongestPart = 16 << 10;

bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

// These ends need no space after them.
bool is_full_width_end(char32_t c) { return is_one_of(c, U"。！？｡"); }
bool is_end_mark(char32_t c) { return is_one_of(c, U".!?…؟۔।॥") || is_full_width_end(c); }
bool closes(char32_t c) { return is_one_of(c, U"\"'”’»›)]}」』）】"); }
bool opens(char32_t c) { return is_one_of(c, U"\"'“„‘‚«‹([{「『（【¿¡-–—*•"); }
bool is_break(char32_t c) { return is_one_of(c, U"\n\r\t\u2028\u2029\u0085"); }

MosesLanguage abbreviations_of(std::string_view language) {
  if (language.starts_with("de")) return MosesLanguage::de;
  if (language.starts_with("fr")) return MosesLanguage::fr;
  return MosesLanguage::en;
}

// A text by code points, each with the byte where it begins.
class Characters {
 public:
  explicit Characters(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      begins_.push_back(at);
      characters_ += next_code_point(text, at);
    }
    begins_.push_back(text.size());
  }

  std::size_t size() const { return characters_.size(); }
  // 0 after the end.
  char32_t operator[](std::size_t i) const { return i < size() ? characters_[i] : U'\0'; }
  std::size_t byte(std::size_t i) const { return begins_[i]; }
  std::u32string_view slice(std::size_t begin, std::size_t end) const {
    return std::u32string_view(characters_).substr(begin, end - begin);
  }

 private:
  std::u32string characters_;
  std::vector<std::size_t> begins_;
};

// Whether the period at `at` belongs to the word before it. `next`: what follows the space.
bool belongs_to_word(const Characters& text, std::size_t at, char32_t next,
                     MosesLanguage language) {
  std::size_t begin = at;
  while (begin > 0 && !is_white_space(text[begin - 1]) && !opens(text[begin - 1])) --begin;
  const std::u32string_view word = text.slice(begin, at);
  if (word.empty()) return false;
  if (word.size() == 1 && unicode::is_upper(word[0])) return true;                   // an initial
  if (word.find(U'.') != word.npos && unicode::is_letter(word.back())) return true;  // e.g., U.S.
  if (moses::is_prefix(word, language)) return true;
  const bool number_follows = unicode::is_digit(next);
  if (number_follows && moses::is_prefix_of_numbers(word, language)) return true;
  const bool is_number = std::all_of(word.begin(), word.end(), unicode::is_digit);
  return is_number && word.size() <= 2 && language == MosesLanguage::de;  // "am 3. Oktober"
}

// Whether a sentence ends after the marks [first, after), which closing marks follow up to `end`.
bool ends_sentence(const Characters& text, std::size_t first, std::size_t after, std::size_t end,
                   MosesLanguage language) {
  if (is_full_width_end(text[after - 1])) return true;
  if (end < text.size() && !is_white_space(text[end])) return false;
  std::size_t next = end;
  while (next < text.size() && is_white_space(text[next])) ++next;
  while (next < text.size() && opens(text[next])) ++next;
  if (unicode::is_lower(text[next])) return false;
  const bool one_period = text[first] == U'.' && after == first + 1 && end == after;
  return !one_period || !belongs_to_word(text, first, text[next], language);
}

class Cutter {
 public:
  explicit Cutter(const Characters& text) : text_(text) {}

  // Ends the sentence before character `end`; the next one begins there.
  void cut(std::size_t end) {
    const std::size_t next = end;
    while (begin_ < end && is_white_space(text_[begin_])) ++begin_;
    while (end > begin_ && is_white_space(text_[end - 1])) --end;
    if (begin_ < end) spans_.push_back({text_.byte(begin_), text_.byte(end)});
    begin_ = next;
  }
  std::vector<TextSpan> take() { return std::move(spans_); }

 private:
  const Characters& text_;
  std::size_t begin_ = 0;
  std::vector<TextSpan> spans_;
};

// The end of the longest part from `begin` that fits, at one of the `cuts` (bytes, ascending);
// `begin` if none does. Looks at twice as many cuts each time, then between the last two: a long
// text must not be looked at to its end for every part of it.
std::size_t last_that_fits(std::string_view text, std::size_t begin,
                           const std::vector<std::size_t>& cuts,
                           const std::function<bool(std::string_view)>& fits) {
  const auto first = std::upper_bound(cuts.begin(), cuts.end(), begin);
  const auto last = std::upper_bound(first, cuts.end(), begin + kLongestPart);
  const auto cut_fits = [&](std::size_t cut) { return fits(text.substr(begin, cut - begin)); };
  std::ptrdiff_t fitting = 0, more = 1;
  while (fitting + more <= last - first && cut_fits(first[fitting + more - 1])) {
    fitting += more;
    more *= 2;
  }
  const auto end = std::partition_point(first + fitting,
                                        first + std::min(fitting + more, last - first), cut_fits);
  return end == first ? begin : *(end - 1);
}

}  // namespace

std::vector<TextSpan> find_sentences(std::string_view text, std::string_view language) {
  const Characters characters(text);
  const MosesLanguage abbreviations = abbreviations_of(language);
  Cutter cutter(characters);
  for (std::size_t i = 0; i < characters.size();) {
    if (is_break(characters[i])) {
      cutter.cut(++i);
      continue;
    }
    if (!is_end_mark(characters[i])) {
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (is_end_mark(characters[i])) ++i;
    std::size_t end = i;
    while (closes(characters[end])) ++end;
    if (ends_sentence(characters, first, i, end, abbreviations)) cutter.cut(end);
    i = end;
  }
  cutter.cut(characters.size());
  return cutter.take();
}

std::vector<TextSpan> cut_at_clauses(std::string_view text, TextSpan sentence,
                                     const std::function<bool(std::string_view)>& fits) {
  const std::string_view whole = sentence.of(text);
  if (whole.size() <= kLongestPart && fits(whole)) return {sentence};
  const Characters characters(whole);
  std::vector<std::size_t> clauses, words, letters;
  for (std::size_t i = 1; i < characters.size(); ++i) {
    letters.push_back(characters.byte(i));
    if (is_one_of(characters[i - 1], U"、，；：")) clauses.push_back(characters.byte(i));
    if (!is_white_space(characters[i])) continue;
    words.push_back(characters.byte(i));
    if (is_one_of(characters[i - 1], U",;:،؛")) clauses.push_back(characters.byte(i));
  }
  for (auto* cuts : {&clauses, &words, &letters}) cuts->push_back(whole.size());

  std::vector<TextSpan> parts;
  for (std::size_t begin = 0; begin < whole.size();) {
    std::size_t end = begin;
    for (const auto* cuts : {&clauses, &words, &letters})
      if (end == begin) end = last_that_fits(whole, begin, *cuts, fits);
    // One character at least, even if nothing fits.
    if (end == begin) end = *std::upper_bound(letters.begin(), letters.end(), begin);
    parts.push_back({sentence.begin + begin, sentence.begin + end});
    begin = end;
    while (begin < whole.size()) {
      std::size_t after = begin;
      if (!is_white_space(next_code_point(whole, after))) break;
      begin = after;
    }
  }
  return parts;
}

}  // namespace attend
