#include "attend/documents/marks/marked_text.h"

#include <algorithm>
#include <set>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/documents/marks/aligned_text.h"
#include "attend/documents/marks/mark_placement.h"

namespace attend {
namespace {

bool is_space_at(std::string_view text, std::size_t byte) {
  return is_white_space(next_code_point(text, byte));
}

// Writes a translation and the beginnings and ends of marks in it.
class MarkWriter {
 public:
  using Escape = std::function<std::string(std::string_view)>;

  MarkWriter(const MarkedText& source, const AlignedText& translated, const Escape& escape)
      : source_(source),
        text_(translated.text),
        pieces_(translated.pieces),
        escape_(escape),
        ranges_(place_marks(source, pieces_)),
        children_(source.marks.size() + 1) {
    for (std::size_t i = 0; i < source.marks.size(); ++i) {
      const Mark& mark = source.marks[i];
      children_[static_cast<std::size_t>(mark.parent + 1)].push_back(i);
      if (holds_space(mark) || is_glued(i)) spaces_.emplace(mark.parent, ranges_[i].begin);
    }
    for (std::vector<std::size_t>& children : children_)
      std::stable_sort(children.begin(), children.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(ranges_[a].begin, ranges_[a].size() > 0) <
               std::pair(ranges_[b].begin, ranges_[b].size() > 0);
      });
  }

  std::string write() {
    write_content(kRoot, {0, pieces_.size()}, {0, text_.size()});
    return std::move(out_);
  }

 private:
  static constexpr int kRoot = -1;

  // A run of tabs or spaces alone holds those of its place.
  bool holds_space(const Mark& mark) const {
    return source_.text_in_marks && mark.begin < mark.end && !has_text(mark);
  }
  bool has_text(const Mark& mark) const { return source_.has_text(mark); }

  // The space after a point that stands right after a word, such as the number of a note, belongs
  // to the text behind it.
  bool is_glued(std::size_t i) const {
    const Mark& mark = source_.marks[i];
    if (!source_.text_in_marks || mark.begin < mark.end || mark.begin == 0 ||
        is_space_at(source_.text, begin_of_character_before(source_.text, mark.begin)))
      return false;
    const std::size_t end =
        mark.parent < 0 ? pieces_.size() : ranges_[static_cast<std::size_t>(mark.parent)].end;
    return ranges_[i].begin < end;
  }

  // What stands within a mark, or in the whole text: [bytes.begin, bytes.end) of the translation.
  void write_content(int parent, PieceRange range, TextSpan bytes) {
    for (const std::size_t i : children_[static_cast<std::size_t>(parent + 1)]) {
      const Mark& mark = source_.marks[i];
      const TextSpan own = bytes_of(mark, ranges_[i], range, bytes);
      write_text({bytes.begin, own.begin});
      bytes.begin = own.end;
      if (!has_text(mark)) space_before(mark);
      out_ += mark.open;
      write_content(static_cast<int>(i), ranges_[i], own);
      out_ += mark.close;
      if (!has_text(mark)) space_after(mark, bytes);
    }
    write_text(bytes);
  }

  void write_text(TextSpan bytes) {
    if (bytes.begin >= bytes.end) return;
    out_ += escape_(bytes.of(text_));
    ends_in_space_ = is_space_at(text_, begin_of_character_before(text_, bytes.end));
    has_written_ = true;
  }

  // The bytes of a mark in the content [rest.begin, rest.end) of its parent. White space between
  // marks belongs to none, or where text stands in marks alone, to the one before it.
  TextSpan bytes_of(const Mark& mark, PieceRange own, PieceRange parent, TextSpan rest) const {
    if (holds_space(mark) && rest.begin < rest.end) {
      const bool is_last = own.begin >= parent.end;
      return {rest.begin, is_last ? rest.end : pieces_[own.begin].target.begin};
    }
    if (own.size() == 0) {
      const bool all = source_.text_in_marks && has_text(mark) && parent.size() == 0;
      const std::size_t at = all ? rest.end : gap_of(mark, own.begin, parent, rest);
      return {all ? rest.begin : at, at};
    }
    if (!source_.text_in_marks)
      return {pieces_[own.begin].target.begin, pieces_[own.end - 1].target.end};
    if (spaces_.contains({mark.parent, own.end}))
      return {rest.begin, pieces_[own.end - 1].target.end};
    return {rest.begin, own.end < parent.end ? pieces_[own.end].target.begin : rest.end};
  }

  // A point has as many spaces of the gap before it as in the source, if there are as many.
  std::size_t gap_of(const Mark& mark, std::size_t gap, PieceRange parent, TextSpan rest) const {
    if (parent.size() == 0) return rest.begin;
    const std::size_t left = gap > parent.begin ? pieces_[gap - 1].target.end : rest.begin;
    const std::size_t right = gap < parent.end ? pieces_[gap].target.begin : rest.end;
    if (source_.text_in_marks) {
      const bool first = gap == parent.begin || spaces_.contains({mark.parent, gap});
      return first ? rest.begin : std::max(right, rest.begin);
    }
    std::size_t at = std::max(left, rest.begin), before = mark.begin;
    while (is_space_before(mark) && before > 0 && at < right) {
      before = begin_of_character_before(source_.text, before);
      if (!is_space_at(source_.text, before)) break;
      next_code_point(text_, at);
    }
    return at;
  }

  // Among points at one place, the first has the space before it, and that is not in a mark that
  // begins there.
  bool is_space_before(const Mark& mark) const {
    if (mark.parent >= 0 &&
        source_.marks[static_cast<std::size_t>(mark.parent)].begin == mark.begin)
      return false;
    for (const Mark* other = &mark; other-- != source_.marks.data();)
      if (other->parent == mark.parent && !has_text(*other) && other->end == mark.begin)
        return false;
    return mark.begin > 0 &&
           is_space_at(source_.text, begin_of_character_before(source_.text, mark.begin));
  }
  bool is_point_behind(const Mark& mark) const {
    for (const Mark* other = &mark + 1; other <= &source_.marks.back() && other->begin <= mark.end;
         ++other)
      if (other->parent == mark.parent && !has_text(*other) && other->begin == mark.end)
        return true;
    return false;
  }
  bool is_space_after(const Mark& mark, TextSpan rest) const {
    if (is_point_behind(mark)) return mark.space_after;
    const bool in_source =
        mark.space_after || (mark.end < source_.text.size() && is_space_at(source_.text, mark.end));
    return in_source && rest.begin < rest.end && !is_space_at(text_, rest.begin);
  }

  void space_before(const Mark& mark) {
    if (source_.text_in_marks || !has_written_ || ends_in_space_ || !is_space_before(mark)) return;
    out_ += ' ';
    ends_in_space_ = true;
  }
  void space_after(const Mark& mark, TextSpan rest) {
    ends_in_space_ = false;
    has_written_ = true;
    if (source_.text_in_marks || !is_space_after(mark, rest)) return;
    out_ += ' ';
    ends_in_space_ = true;
  }

  const MarkedText& source_;
  std::string_view text_;
  const std::vector<AlignedPiece>& pieces_;
  const Escape& escape_;
  std::vector<PieceRange> ranges_;
  std::vector<std::vector<std::size_t>> children_;
  // Parents and gaps of marks before which no text has a space.
  std::set<std::pair<int, std::size_t>> spaces_;
  std::string out_;
  bool has_written_ = false;
  bool ends_in_space_ = false;
};

}  // namespace

SourceText source_text(const MarkedText& marked) {
  SourceText source{marked.text};
  for (const Mark& mark : marked.marks) {
    source.cuts.push_back(mark.begin);
    source.cuts.push_back(mark.end);
  }
  std::sort(source.cuts.begin(), source.cuts.end());
  return source;
}

std::string with_marks(const MarkedText& source, const TranslatedText& translated, std::size_t k,
                       const std::function<std::string(std::string_view)>& escape) {
  return MarkWriter(source, align(translated, k, source_text(source).cuts), escape).write();
}

}  // namespace attend
