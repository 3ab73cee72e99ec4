#include "attend/documents/marks/aligned_text.h"

#include <algorithm>
#include <utility>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/marks/aligned_words.h"

namespace attend {
namespace {

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
  SentencePieces(std::string_view source, std::vector<SentenceWord> source_words,
                 std::string_view target, std::span<const std::size_t> cuts)
      : source_(source), words_(std::move(source_words)), target_(target), cuts_(cuts) {}

  // `aligned`: the number of the source word of each word.
  void add(const std::vector<SentenceWord>& words, const std::vector<std::size_t>& aligned,
           std::vector<AlignedPiece>& pieces) const {
    std::vector<std::size_t> times(words_.size()), seen(words_.size());
    for (const std::size_t s : aligned) ++times[s];
    for (std::size_t t = 0; t < words.size(); ++t) {
      const SentenceWord& from = words_[aligned[t]];
      const SentenceWord& to = words[t];
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

  void add_begin(const SentenceWord& from, const SentenceWord& to, TextSpan core,
                 std::vector<AlignedPiece>& pieces) const {
    const TextSpan begin{to.span.begin, to.core_begin};
    if (from.span.begin == from.core_begin) return pieces.push_back({begin, core});
    add_punctuation({from.span.begin, from.core_begin}, begin, pieces);
  }

  void add_core(const std::vector<TextSpan>& cores, const SentenceWord& from,
                const SentenceWord& to, std::vector<AlignedPiece>& pieces) const {
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
  void add_end(const SentenceWord& from, const SentenceWord& to, bool is_last, TextSpan core,
               std::vector<AlignedPiece>& pieces) const {
    const TextSpan end{to.core_end, to.span.end};
    const SentenceWord& last = words_.back();
    const SentenceWord* owner = from.core_end < from.span.end ? &from : nullptr;
    if (is_last && last.core_end < last.span.end) owner = &last;
    if (owner == nullptr) return pieces.push_back({end, core});
    add_punctuation({owner->core_end, owner->span.end}, end, pieces);
  }

  std::string_view source_;
  std::vector<SentenceWord> words_;
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
    const WordsOfText from{translated.text, source, words_of_sentence(translated.text, source)},
        to{all.text, target, words_of_sentence(all.text, target)};
    if (from.words.empty() || to.words.empty()) continue;
    const std::vector<std::size_t> aligned =
        aligned_words(from, translated.translations[i].source_tokens, to, candidate);
    SentencePieces(translated.text, from.words, all.text, cuts).add(to.words, aligned, all.pieces);
  }
  return all;
}

}  // namespace attend
