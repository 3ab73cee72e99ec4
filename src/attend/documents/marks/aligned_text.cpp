#include "attend/documents/marks/aligned_text.h"

#include <algorithm>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// A word between white space, or a character of a script without spaces. [core_begin, core_end) is
// the word without the punctuation around it; of punctuation alone, all of it.
struct Word {
  TextSpan span;
  std::size_t core_begin = 0;
  std::size_t core_end = 0;
  std::size_t between_spaces = 0;  // the number of the word between white space
};

// Chinese, Japanese, Thai, Lao, Burmese and Khmer.
bool is_of_script_without_spaces(char32_t c) {
  return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) ||
         (c >= 0x1780 && c < 0x1800) || (c >= 0x3040 && c < 0x3100) ||
         (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0x20000 && c < 0x40000);
}

bool is_of_word(char32_t c) { return !unicode::is_punctuation(c) && !unicode::is_symbol(c); }

Word word_at(std::string_view text, TextSpan span) {
  Word word{span, span.end, span.begin, 0};
  for (std::size_t at = span.begin; at < span.end;) {
    const std::size_t begin = at;
    if (!is_of_word(next_code_point(text, at))) continue;
    word.core_begin = std::min(word.core_begin, begin);
    word.core_end = at;
  }
  if (word.core_begin >= word.core_end) {
    word.core_begin = span.begin;
    word.core_end = span.end;
  }
  return word;
}

std::vector<Word> words_of(std::string_view text, TextSpan sentence) {
  std::vector<Word> words;
  std::size_t begin = sentence.begin, number = 0;
  const auto add = [&](std::size_t end) {
    if (end <= begin) return;
    words.push_back(word_at(text, {begin, end}));
    words.back().between_spaces = number;
  };
  bool cuts = false;  // whether the word so far ends with a character that is a word
  for (std::size_t at = sentence.begin; at < sentence.end;) {
    const std::size_t before = at;
    const char32_t c = next_code_point(text, at);
    const bool is_space = is_white_space(c), is_word = is_of_script_without_spaces(c);
    // Accents and punctuation stay with what is before them.
    if (is_space || (is_word && !unicode::is_mark(c)) ||
        (cuts && is_of_word(c) && !unicode::is_mark(c))) {
      add(before);
      if (is_space && before > begin) ++number;
      begin = is_space ? at : before;
      cuts = false;
    }
    cuts = cuts || is_word;
  }
  add(sentence.end);
  return words;
}

// The number of the source word that each word of the translation translates.
std::vector<std::size_t> alignment_of(const std::vector<std::pair<int, int>>& pairs,
                                      const std::vector<Word>& from, const std::vector<Word>& to) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  // The only word of each number between spaces.
  const auto numbers = [kNone](const std::vector<Word>& words) {
    std::vector<std::size_t> only(words.back().between_spaces + 1, kNone);
    std::vector<bool> seen(only.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::size_t number = words[i].between_spaces;
      only[number] = seen[number] ? kNone : i;
      seen[number] = true;
    }
    return only;
  };
  std::vector<std::size_t> aligned(to.size());
  for (std::size_t t = 0; t < to.size(); ++t)
    aligned[t] = (2 * t + 1) * from.size() / (2 * to.size());
  const std::vector<std::size_t> sources = numbers(from), targets = numbers(to);
  for (const auto& [s, t] : pairs) {
    const auto source = static_cast<std::size_t>(s), target = static_cast<std::size_t>(t);
    if (source < sources.size() && target < targets.size() && sources[source] != kNone &&
        targets[target] != kNone)
      aligned[targets[target]] = sources[source];
  }
  return aligned;
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

// Where in the word `to` the translation of [0, cut) of the word `from` ends: `to` may end or begin
// with the same characters; otherwise at the relative place.
std::size_t translated_cut(std::string_view from, std::size_t cut, std::string_view to) {
  const std::string_view left = from.substr(0, cut), right = from.substr(cut);
  if (to.size() > right.size() && same_letters(to.substr(to.size() - right.size()), right))
    return to.size() - right.size();
  if (to.size() > left.size() && same_letters(to.substr(0, left.size()), left)) return left.size();
  const std::vector<std::string_view> letters = characters_of(to);
  const std::size_t all = std::max<std::size_t>(count_code_points(from), 1);
  std::size_t place = (count_code_points(left) * letters.size() + all / 2) / all;
  if (letters.size() > 1) place = std::clamp<std::size_t>(place, 1, letters.size() - 1);
  while (place < letters.size()) {  // an accent stays with its letter
    std::size_t at = 0;
    if (!unicode::is_mark(next_code_point(letters[place], at))) break;
    ++place;
  }
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < place; ++i) bytes += letters[i].size();
  return bytes;
}

// The pieces of the translation of one sentence.
class SentencePieces {
 public:
  SentencePieces(std::string_view source, std::vector<Word> source_words, std::string_view target,
                 std::span<const std::size_t> cuts)
      : source_(source), words_(std::move(source_words)), target_(target), cuts_(cuts) {}

  // `aligned`: the number of the source word of each word.
  void add(const std::vector<Word>& words, const std::vector<std::size_t>& aligned,
           std::vector<AlignedPiece>& pieces) const {
    std::vector<std::size_t> times(words_.size()), seen(words_.size());
    for (const std::size_t s : aligned) ++times[s];
    for (std::size_t t = 0; t < words.size(); ++t) {
      const Word& from = words_[aligned[t]];
      const Word& to = words[t];
      const auto cores = split({from.core_begin, from.core_end});
      const std::size_t turn = seen[aligned[t]]++, all = times[aligned[t]];
      if (to.span.begin < to.core_begin) add_begin(from, to, cores.front(), pieces);
      if (all == 1) {
        add_core(cores, from, to, pieces);
      } else {
        pieces.push_back({{to.core_begin, to.core_end}, cores[turn * cores.size() / all]});
      }
      if (to.core_end < to.span.end) add_end(from, to, t + 1 == words.size(), cores.back(), pieces);
    }
  }

 private:
  // A part of the source between the cuts.
  std::vector<TextSpan> split(TextSpan span) const {
    std::vector<TextSpan> parts;
    std::size_t begin = span.begin;
    for (auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), span.begin);
         cut != cuts_.end() && *cut < span.end; ++cut) {
      parts.push_back({begin, *cut});
      begin = *cut;
    }
    parts.push_back({begin, span.end});
    return parts;
  }

  // Punctuation that is the same in both is cut at the same places.
  void add_punctuation(TextSpan from, TextSpan to, std::vector<AlignedPiece>& pieces) const {
    const std::vector<TextSpan> parts = split(from);
    if (parts.size() == 1 || from.of(source_) != to.of(target_))
      return pieces.push_back({to, parts.front()});
    for (const TextSpan& part : parts)
      pieces.push_back(
          {{to.begin + part.begin - from.begin, to.begin + part.end - from.begin}, part});
  }

  void add_begin(const Word& from, const Word& to, TextSpan core,
                 std::vector<AlignedPiece>& pieces) const {
    const TextSpan begin{to.span.begin, to.core_begin};
    if (from.span.begin == from.core_begin) return pieces.push_back({begin, core});
    add_punctuation({from.span.begin, from.core_begin}, begin, pieces);
  }

  void add_core(const std::vector<TextSpan>& cores, const Word& from, const Word& to,
                std::vector<AlignedPiece>& pieces) const {
    const TextSpan whole{from.core_begin, from.core_end}, core{to.core_begin, to.core_end};
    std::size_t begin = core.begin;
    for (const TextSpan& part : cores) {
      std::size_t end = core.end;
      if (part.end < whole.end)
        end = core.begin +
              translated_cut(whole.of(source_), part.end - whole.begin, core.of(target_));
      if (end > begin) pieces.push_back({{begin, end}, part});
      begin = std::max(begin, end);
    }
  }

  // The punctuation after a word translates that after its source word. The last one of a sentence
  // translates the last one of its source.
  void add_end(const Word& from, const Word& to, bool is_last, TextSpan core,
               std::vector<AlignedPiece>& pieces) const {
    const TextSpan end{to.core_end, to.span.end};
    const Word& last = words_.back();
    const Word* owner = from.core_end < from.span.end ? &from : nullptr;
    if (is_last && last.core_end < last.span.end) owner = &last;
    if (owner == nullptr) return pieces.push_back({end, core});
    add_punctuation({owner->core_end, owner->span.end}, end, pieces);
  }

  std::string_view source_;
  std::vector<Word> words_;
  std::string_view target_;
  std::span<const std::size_t> cuts_;
};

}  // namespace

AlignedText align(const TranslatedText& translated, std::size_t k,
                  std::span<const std::size_t> cuts) {
  TranslatedText::Joined joined = translated.joined(k);
  AlignedText all{std::move(joined.text), {}};
  for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
    const TranslationCandidate& candidate = translated.candidate(i, k);
    const TextSpan source = translated.sentences[i], target = joined.sentences[i];
    std::vector<Word> from = words_of(translated.text, source);
    const std::vector<Word> to = words_of(all.text, target);
    if (from.empty() || to.empty()) continue;
    const std::vector<std::size_t> aligned = alignment_of(candidate.alignment, from, to);
    SentencePieces(translated.text, std::move(from), all.text, cuts).add(to, aligned, all.pieces);
  }
  return all;
}

}  // namespace attend
