#include "attend/documents/marked_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// The words between white space.
std::vector<TextSpan> words_of(std::string_view text) {
  std::vector<TextSpan> words;
  bool within = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const bool space = is_white_space(next_code_point(text, at));
    if (!space && !within) words.push_back({begin, at});
    if (!space) words.back().end = at;
    within = !space;
  }
  return words;
}

// A word of the translation, and the number of the source word that it translates.
struct PlacedWord {
  std::string space;  // before it
  std::string word;
  std::size_t source = 0;
};

// The words of a source text with the elements around each.
class MarkedWords {
 public:
  explicit MarkedWords(const MarkedText& source) : marks_(source.marks) {
    std::vector<std::size_t> open;
    std::size_t next = 0;
    for (const TextSpan& word : words_of(source.text)) {
      const std::size_t middle = word.begin + (word.end - word.begin) / 2;
      while (!open.empty() && marks_[open.back()].end <= middle) open.pop_back();
      std::vector<std::size_t> points;
      for (; next < marks_.size() && marks_[next].begin <= middle; ++next) {
        if (marks_[next].begin == marks_[next].end) {
          points.push_back(next);
        } else if (marks_[next].end > middle) {
          open.push_back(next);
        }
      }
      words_.push_back(word);
      around_.push_back(open);
      points_.push_back(std::move(points));
    }
    for (; next < marks_.size(); ++next)
      if (marks_[next].begin == marks_[next].end) at_end_.push_back(next);
  }

  std::size_t size() const { return words_.size(); }
  // The number of the first word at or after a byte of the text.
  std::size_t first_after(std::size_t byte) const {
    const auto found = std::partition_point(words_.begin(), words_.end(),
                                            [&](const TextSpan& word) { return word.end <= byte; });
    return static_cast<std::size_t>(found - words_.begin());
  }
  const std::vector<std::size_t>& around(std::size_t word) const { return around_[word]; }
  // The marks without text before a word, and those after all words.
  const std::vector<std::size_t>& points_before(std::size_t word) const { return points_[word]; }
  const std::vector<std::size_t>& points_at_end() const { return at_end_; }

 private:
  const std::vector<Mark>& marks_;
  std::vector<TextSpan> words_;
  std::vector<std::vector<std::size_t>> around_, points_;
  std::vector<std::size_t> at_end_;
};

// Appends the words of one sentence. `source`: the numbers of its source words, [first, end).
void place_words(const TranslationCandidate& candidate, TextSpan source, const std::string& space,
                 std::vector<PlacedWord>& placed) {
  const std::vector<TextSpan> words = words_of(candidate.text);
  const std::size_t count = source.end - source.begin;
  std::vector<std::size_t> aligned(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) aligned[i] = i * count / words.size();
  for (const auto& [from, to] : candidate.alignment) {
    const auto s = static_cast<std::size_t>(from), t = static_cast<std::size_t>(to);
    if (s < count && t < words.size()) aligned[t] = s;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view text = candidate.text;
    const std::size_t before = i == 0 ? words[0].begin : words[i - 1].end;
    placed.push_back({i == 0 ? space : std::string(text.substr(before, words[i].begin - before)),
                      std::string(words[i].of(text)), source.begin + aligned[i]});
  }
  if (words.empty() && !space.empty()) placed.push_back({space, "", source.begin});
}

// Every element with words has a word of the translation: one that no word is aligned to takes the
// word at its relative place.
void keep_all_marks(const MarkedWords& words, std::vector<PlacedWord>& placed) {
  if (placed.empty()) return;
  std::set<std::size_t> kept;
  for (const PlacedWord& one : placed)
    kept.insert(words.around(one.source).begin(), words.around(one.source).end());
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (const std::size_t mark : words.around(word)) {
      if (!kept.insert(mark).second) continue;
      placed[word * placed.size() / words.size()].source = word;
    }
  }
}

// Writes words and the beginnings and ends of elements between them.
class MarkWriter {
 public:
  MarkWriter(const MarkedText& source, const MarkedWords& words)
      : source_(source), marks_(source.marks), words_(words) {}

  void write(const PlacedWord& one, const std::string& text) {
    const std::vector<std::size_t>& around = words_.around(one.source);
    const auto same = std::mismatch(open_.begin(), open_.end(), around.begin(), around.end());
    const auto common = static_cast<std::size_t>(same.first - open_.begin());
    const bool first_within = source_.spaces_within && !open_.empty();
    if (first_within) out_ += one.space;
    close_down_to(common);
    if (!source_.spaces_within) out_ += one.space;
    // Marks are numbered by where they begin, so the points stand where they stood among them.
    const std::vector<std::size_t>& points = words_.points_before(one.source);
    auto point = points.begin();
    for (std::size_t i = common; i < around.size(); ++i) {
      for (; point != points.end() && *point < around[i]; ++point) put_point(*point);
      out_ += marks_[around[i]].open;
    }
    for (; point != points.end(); ++point) put_point(*point);
    if (source_.spaces_within && !first_within) out_ += one.space;
    open_ = around;
    out_ += text;
  }
  std::string finish(std::string_view space) {
    if (source_.spaces_within && !open_.empty()) out_ += std::exchange(space, {});
    close_down_to(0);
    for (std::size_t word = 0; word < words_.size(); ++word)
      for (const std::size_t point : words_.points_before(word)) put_point(point);
    for (const std::size_t point : words_.points_at_end()) put_point(point);
    return out_ + std::string(space);
  }

 private:
  void close_down_to(std::size_t count) {
    for (; open_.size() > count; open_.pop_back()) out_ += marks_[open_.back()].close;
  }
  void put_point(std::size_t point) {
    if (written_.insert(point).second) out_ += marks_[point].open + marks_[point].close;
  }

  const MarkedText& source_;
  const std::vector<Mark>& marks_;
  const MarkedWords& words_;
  std::vector<std::size_t> open_;
  std::set<std::size_t> written_;
  std::string out_;
};

}  // namespace

std::string with_marks(const MarkedText& source, const TranslatedText& translated, std::size_t k,
                       const std::function<std::string(std::string_view)>& escape) {
  const MarkedWords words(source);
  const std::string_view text = source.text;
  std::vector<PlacedWord> placed;
  std::size_t at = 0;
  for (std::size_t i = 0; i < translated.sentences.size(); ++i) {
    const TextSpan span = translated.sentences[i];
    place_words(translated.candidate(i, k),
                {words.first_after(span.begin), words.first_after(span.end - 1) + 1},
                std::string(text.substr(at, span.begin - at)), placed);
    at = span.end;
  }
  keep_all_marks(words, placed);
  MarkWriter writer(source, words);
  for (const PlacedWord& one : placed) writer.write(one, escape(one.word));
  return writer.finish(text.substr(at));
}

}  // namespace attend
