#include "attend/documents/subtitles/cut_translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/marks/aligned_text.h"
#include "attend/documents/subtitles/cue_text.h"

namespace attend {
namespace {

// Chinese, Japanese, Thai, Lao, Burmese and Khmer have no spaces between words.
bool may_break_before(char32_t c) {
  return (c >= 0x0e00 && c < 0x0f00) || (c >= 0x1000 && c < 0x10a0) ||
         (c >= 0x1780 && c < 0x1800) || (c >= 0x3040 && c < 0x3100) ||
         (c >= 0x3400 && c < 0xa000) || (c >= 0xf900 && c < 0xfb00) ||
         (c >= 0x20000 && c < 0x40000);
}

bool is_space_of_line(char32_t c) { return c == U' ' || c == U'\t' || c == U'\n' || c == U'\r'; }

bool opens_quote(char32_t c) {
  constexpr std::u32string_view kOpening = U"「『（《〈【“‘(";
  return kOpening.find(c) != kOpening.npos;
}

std::size_t width_of(std::span<const CueWord> words) {
  std::size_t width = 0;
  for (const CueWord& word : words) width += word.width + (word.has_space ? 1 : 0);
  return width - (!words.empty() && words.front().has_space ? 1 : 0);
}

// Where lines of at most this width begin, but for the first one.
std::vector<std::size_t> filled_lines(std::span<const CueWord> words, std::size_t width) {
  std::vector<std::size_t> begins;
  std::size_t used = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t more = words[i].width + (words[i].has_space ? 1 : 0);
    if (used > 0 && used + more > width) {
      begins.push_back(i);
      used = words[i].width;
    } else {
      used += used > 0 ? more : words[i].width;
    }
  }
  return begins;
}

bool all_fit(std::span<const CueWord> words, const std::vector<std::size_t>& begins,
             std::size_t width) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= begins.size(); ++i) {
    const std::size_t end = i < begins.size() ? begins[i] : words.size();
    if (width_of(words.subspan(begin, end - begin)) > width) return false;
    begin = end;
  }
  return true;
}

// Chooses the words of a translation at which its parts begin.
class PartCutter {
 public:
  PartCutter(std::string_view source, const AlignedText& aligned, std::span<const CueWord> words)
      : source_(source), aligned_(aligned), words_(words) {}

  // `end`: the byte of the source where the part ends; `first`, `last`: the words that may be the
  // next part's first one.
  std::size_t cut(std::size_t end, std::size_t first, std::size_t last) const {
    const auto belongs_before = [&](const AlignedPiece& piece) { return piece.source.begin < end; };
    const auto bytes_of = [](TextSpan span) { return static_cast<double>(span.end - span.begin); };
    double all = 0, wrong = 0;  // bytes in the wrong part if the cut is before the first word
    for (const AlignedPiece& piece : aligned_.pieces) {
      all += bytes_of(piece.target);
      if (belongs_before(piece)) wrong += bytes_of(piece.target);
    }
    const double share = static_cast<double>(end) / static_cast<double>(source_.size());
    std::size_t best = first, next = 0;
    double lowest = -1, before = 0;
    for (std::size_t word = 0; word <= last; ++word) {
      const std::size_t begin =
          word < words_.size() ? words_[word].place.begin : aligned_.text.size();
      for (; next < aligned_.pieces.size() && aligned_.pieces[next].target.begin < begin; ++next) {
        const double bytes = bytes_of(aligned_.pieces[next].target);
        wrong += belongs_before(aligned_.pieces[next]) ? -bytes : bytes;
        before += bytes;
      }
      constexpr double kWeightOfLength = 0.5;
      const double cost = wrong + kWeightOfLength * std::abs(before - share * all);
      if (word < first || (lowest >= 0 && cost >= lowest)) continue;
      lowest = cost;
      best = word;
    }
    return best;
  }

 private:
  std::string_view source_;
  const AlignedText& aligned_;
  std::span<const CueWord> words_;
};

// What with_marks() writes, read again and cut.
class PartWriter {
 public:
  // Numbers of the letters, without spaces, at which a part or a line begins; ascending.
  struct Cuts {
    std::vector<std::size_t> parts, lines;
  };
  PartWriter(Cuts cuts, const CueLayout& layout) : cuts_(std::move(cuts)), layout_(layout) {}

  std::vector<std::string> write(std::string_view marked) {
    while (!marked.empty()) {
      const bool is_tag = marked.front() == kTagBegin;
      const std::size_t end =
          is_tag ? marked.find(kTagEnd) + 1 : std::min(marked.find(kTagBegin), marked.size());
      if (is_tag) {
        add_tag(static_cast<CueTag>(marked[1]), marked.substr(2, end - 3));
      } else {
        add_text(marked.substr(0, end));
      }
      marked.remove_prefix(end);
    }
    while (next_part_ < cuts_.parts.size()) break_part();
    return std::move(written_);
  }

 private:
  std::string& current() { return written_.back(); }
  bool at_line_begin() const { return line_begin_ == written_.back().size(); }

  void add_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = at;
      if (is_space_of_line(next_code_point(text, at))) {
        has_space_ = true;
        continue;
      }
      break_if_due();
      add_space();
      current() += layout_.escape(text.substr(begin, at - begin));
      letters_ += at - begin;
    }
  }

  void add_space() {
    if (has_space_ && !at_line_begin()) current() += ' ';
    has_space_ = false;
  }

  // The end of an element stays with its text, its begin with what follows; a point with what it
  // stands next to.
  void add_tag(CueTag kind, std::string_view tag) {
    if (kind == CueTag::close) {
      open_.pop_back();
    } else if (kind == CueTag::open || has_space_) {
      break_if_due();
      add_space();
    }
    if (kind == CueTag::open) open_.emplace_back(tag);
    const bool was_begin = at_line_begin();
    current() += tag;
    if (was_begin) line_begin_ = current().size();
  }

  void break_if_due() {
    while (next_part_ < cuts_.parts.size() && cuts_.parts[next_part_] <= letters_) break_part();
    bool is_due = false;
    for (; next_line_ < cuts_.lines.size() && cuts_.lines[next_line_] <= letters_; ++next_line_)
      is_due = true;
    if (!is_due || at_line_begin()) return;
    current() += layout_.line_end;
    begin_line();
  }

  void break_part() {
    ++next_part_;
    for (auto tag = open_.rbegin(); tag != open_.rend(); ++tag) current() += end_of(*tag);
    written_.emplace_back();
    for (const std::string& tag : open_) current() += tag;
    begin_line();
  }
  void begin_line() {
    line_begin_ = current().size();
    has_space_ = false;
  }

  // "</c>" of "<c.red>".
  static std::string end_of(std::string_view tag) {
    return fmt::format("</{}>", tag.substr(1, tag.find_first_of(" .\t/>", 1) - 1));
  }

  Cuts cuts_;
  const CueLayout& layout_;
  std::vector<std::string> written_{""};
  std::vector<std::string> open_;
  std::size_t letters_ = 0, next_part_ = 0, next_line_ = 0, line_begin_ = 0;
  bool has_space_ = false;
};

// The number of the first letter of each word, without spaces.
std::vector<std::size_t> letters_before(std::span<const CueWord> words) {
  std::vector<std::size_t> letters{0};
  for (const CueWord& word : words)
    letters.push_back(letters.back() + word.place.end - word.place.begin);
  return letters;
}

// Where the lines of a part end, in parts of its characters.
std::vector<double> shares_of(std::string_view text, TextSpan part,
                              std::span<const std::size_t> breaks) {
  const auto all = static_cast<double>(std::max<std::size_t>(count_code_points(part.of(text)), 1));
  std::vector<double> shares;
  std::size_t before = 0, begin = part.begin;
  for (const std::size_t line : breaks) {
    before += count_code_points(text.substr(begin, line - begin));
    begin = line;
    shares.push_back(static_cast<double>(before - 1) / all);  // the line break is a space
  }
  return shares;
}

}  // namespace

std::vector<CueWord> cue_words(std::string_view text) {
  std::vector<CueWord> words;
  bool has_space = false, was_single = false, was_opening = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(text, at);
    if (is_space_of_line(c)) {
      has_space = true;
      continue;
    }
    const bool is_single = may_break_before(c), is_opening = opens_quote(c);
    const bool is_letter = !unicode::is_mark(c) && !unicode::is_punctuation(c);
    const bool may_break = (is_single && is_letter) || is_opening || (was_single && is_letter);
    if (words.empty() || has_space || (may_break && !was_opening)) {
      words.push_back({{begin, at}, has_space && !words.empty(), 0});
    }
    words.back().place.end = at;
    ++words.back().width;
    has_space = false;
    was_single = is_single || (was_single && !is_letter);  // punctuation stays with its letter
    was_opening = is_opening;
  }
  return words;
}

std::vector<std::size_t> break_lines(std::span<const CueWord> words, std::span<const double> shares,
                                     std::size_t width) {
  const auto all = static_cast<double>(width_of(words));
  std::vector<std::size_t> begins;
  double used = 0;
  std::size_t word = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const std::size_t lines_left = shares.size() - i;
    const std::size_t last = words.size() > lines_left ? words.size() - lines_left : 0;
    if (word >= last) break;
    // The line ends at the word whose end is nearest to the end of the source line.
    const std::size_t first = word;
    for (; word < last; ++word) {
      const double next = used + static_cast<double>(words[word].width + (word > 0 ? 1 : 0));
      if (word > first && next - shares[i] * all > shares[i] * all - used) break;
      used = next;
    }
    begins.push_back(word);
  }
  if (shares.empty() || all_fit(words, begins, width)) return begins;
  // The least width with as many lines.
  std::size_t low = 1, high = width_of(words);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (filled_lines(words, middle).size() <= shares.size()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return filled_lines(words, low);
}

std::vector<std::string> cut_translation(const MarkedText& source, std::span<const CuePart> parts,
                                         const TranslatedText& translated, std::size_t k,
                                         const CueLayout& layout) {
  std::vector<std::size_t> ends;
  for (const CuePart& part : parts) ends.push_back(part.end);
  const AlignedText aligned = align(translated, k, ends);
  const std::vector<CueWord> words = cue_words(aligned.text);
  const std::vector<std::size_t> letters = letters_before(words);
  const PartCutter cutter(source.text, aligned, words);
  PartWriter::Cuts cuts;
  std::size_t begin = 0, source_begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t after = parts.size() - 1 - i;
    std::size_t end = words.size();
    if (after > 0) {
      const std::size_t first = std::min(begin + 1, words.size());
      end = cutter.cut(parts[i].end, first,
                       std::max(first, words.size() > after ? words.size() - after : 0));
      cuts.parts.push_back(letters[end]);
    }
    const std::vector<double> shares =
        shares_of(source.text, {source_begin, parts[i].end}, parts[i].breaks);
    const std::span<const CueWord> own = std::span(words).subspan(begin, end - begin);
    for (const std::size_t line : break_lines(own, shares, layout.width))
      cuts.lines.push_back(letters[begin + line]);
    begin = end;
    source_begin = parts[i].end;
  }
  const auto without_tags = [](std::string_view text) {
    std::string out(text);
    std::erase_if(out, [](char c) { return c == kTagBegin || c == kTagEnd; });
    return out;
  };
  return PartWriter(std::move(cuts), layout).write(with_marks(source, translated, k, without_tags));
}

}  // namespace attend
