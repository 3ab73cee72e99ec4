#include "attend/documents/marks/mark_placement.h"

#include <algorithm>
#include <optional>

#include "attend/core/strings/utf8.h"

namespace attend {
namespace {

// A range of pieces and how well it fits a mark.
struct Fit {
  PieceRange range;
  std::int64_t score = 0;
};

class Placement {
 public:
  Placement(const MarkedText& source, std::span<const AlignedPiece> pieces)
      : source_(source),
        text_(source.text),
        marks_(source.marks),
        covers_(source.text_in_marks),
        pieces_(pieces),
        ranges_(source.marks.size()),
        children_(source.marks.size() + 1) {
    for (std::size_t i = 0; i < marks_.size(); ++i)
      children_[static_cast<std::size_t>(marks_[i].parent + 1)].push_back(i);
  }

  std::vector<PieceRange> place() {
    place_children(kRoot, {0, pieces_.size()}, {0, text_.size()});
    return std::move(ranges_);
  }

 private:
  static constexpr int kRoot = -1;

  bool has_text(std::size_t mark) const { return source_.has_text(marks_[mark]); }

  bool holds(std::size_t mark, std::size_t piece) const {
    const TextSpan source = pieces_[piece].source;
    const std::size_t middle = source.begin + (source.end - source.begin) / 2;
    return marks_[mark].begin <= middle && middle < marks_[mark].end;
  }

  // In bytes of the source: a word that belongs to the mark counts more than a comma that does not.
  std::int64_t weight(std::size_t mark, std::size_t piece) const {
    const auto bytes =
        static_cast<std::int64_t>(pieces_[piece].target.end - pieces_[piece].target.begin);
    return holds(mark, piece) ? bytes : -bytes;
  }

  // The best range of free pieces, one that begins and ends with pieces of the mark.
  std::optional<Fit> best_fit(std::size_t mark, PieceRange within) const {
    std::optional<Fit> best;
    Fit run;
    for (std::size_t i = within.begin; i < within.end; ++i) {
      if (taken_[i]) {
        run = {};
        continue;
      }
      if (run.score <= 0) run = {{i, i}, 0};
      run.score += weight(mark, i);
      run.range.end = i + 1;
      if (run.score > 0 && holds(mark, i) && (!best || run.score > best->score)) best = run;
    }
    return best;
  }

  void take(std::size_t mark, PieceRange range) {
    ranges_[mark] = range;
    std::fill(taken_.begin() + static_cast<std::ptrdiff_t>(range.begin),
              taken_.begin() + static_cast<std::ptrdiff_t>(range.end), true);
  }

  void place_children(int parent, PieceRange within, TextSpan source) {
    const std::vector<std::size_t>& children = children_[static_cast<std::size_t>(parent + 1)];
    if (children.empty()) return;
    place_texts(children, within, source);
    if (covers_) cover(children, within);
    for (const std::size_t mark : children)
      if (!has_text(mark)) place_point(mark, children, within, source);
    for (const std::size_t mark : children)
      place_children(static_cast<int>(mark), ranges_[mark], {marks_[mark].begin, marks_[mark].end});
  }

  // The marks that fit best choose first.
  void place_texts(const std::vector<std::size_t>& children, PieceRange within, TextSpan source) {
    taken_.assign(pieces_.size(), false);
    std::vector<std::pair<std::int64_t, std::size_t>> order;
    for (const std::size_t mark : children) {
      if (!has_text(mark)) continue;
      const std::optional<Fit> fit = best_fit(mark, within);
      order.emplace_back(fit ? -fit->score : 1, mark);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> without;
    for (const auto& [score, mark] : order) {
      if (const std::optional<Fit> fit = best_fit(mark, within)) {
        take(mark, fit->range);
      } else {
        without.push_back(mark);
      }
    }
    for (const std::size_t mark : without) place_anyhow(mark, children, within, source);
  }

  // A free piece near the relative place of the mark; else one from the end of another mark that
  // has several; else none, between two pieces.
  void place_anyhow(std::size_t mark, const std::vector<std::size_t>& children, PieceRange within,
                    TextSpan source) {
    const std::size_t middle = marks_[mark].begin + marks_[mark].end - 2 * source.begin;
    const std::size_t all = std::max<std::size_t>(2 * (source.end - source.begin), 1);
    const std::size_t place = within.begin + middle * within.size() / all;
    const auto distance = [&](std::size_t i) { return i > place ? i - place : place - i; };
    std::optional<std::size_t> nearest;
    for (std::size_t i = within.begin; i < within.end; ++i)
      if (!taken_[i] && (!nearest || distance(i) < distance(*nearest))) nearest = i;
    if (nearest) return take(mark, {*nearest, *nearest + 1});

    std::size_t giver = mark;
    bool from_end = false;
    for (const std::size_t other : children) {
      if (ranges_[other].size() < 2) continue;
      for (const bool end : {false, true}) {
        const std::size_t i = end ? ranges_[other].end - 1 : ranges_[other].begin;
        if (nearest && distance(i) >= distance(*nearest)) continue;
        nearest = i;
        giver = other;
        from_end = end;
      }
    }
    if (nearest) {
      from_end ? --ranges_[giver].end : ++ranges_[giver].begin;
      return take(mark, {*nearest, *nearest + 1});
    }
    const std::size_t gap = std::min(place, within.end);
    ranges_[mark] = {gap, gap};
  }

  // Gives each piece that no mark has to the mark before it, or the first one.
  void cover(const std::vector<std::size_t>& children, PieceRange within) {
    std::vector<std::size_t> order;
    for (const std::size_t mark : children)
      if (has_text(mark) && ranges_[mark].size() > 0) order.push_back(mark);
    if (order.empty()) {
      const auto any = std::find_if(children.begin(), children.end(),
                                    [&](std::size_t mark) { return has_text(mark); });
      if (any != children.end()) ranges_[*any] = within;
      return;
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return ranges_[a].begin < ranges_[b].begin; });
    ranges_[order.front()].begin = within.begin;
    for (std::size_t i = 0; i < order.size(); ++i)
      ranges_[order[i]].end = i + 1 < order.size() ? ranges_[order[i + 1]].begin : within.end;
  }

  // The piece that translates the source closest to `place`, on its left or on its right.
  std::optional<std::size_t> beside(std::size_t place, bool left, PieceRange within) const {
    std::optional<std::size_t> best;
    for (std::size_t i = within.begin; i < within.end; ++i) {
      const TextSpan source = pieces_[i].source;
      if (left ? source.end > place : source.begin < place) continue;
      if (!best || (left ? source.end >= pieces_[*best].source.end
                         : source.begin < pieces_[*best].source.begin))
        best = i;
    }
    return best;
  }

  bool is_space_before(std::size_t byte) const {
    const std::size_t before = begin_of_character_before(text_, byte);
    return is_blank(text_.substr(before, byte - before));
  }

  // After the word it is glued to; otherwise before the next one.
  void place_point(std::size_t mark, const std::vector<std::size_t>& children, PieceRange within,
                   TextSpan source) {
    const std::size_t place = marks_[mark].begin;
    std::size_t gap = within.begin;
    const std::optional<std::size_t> left = beside(place, true, within),
                                     right = beside(place, false, within);
    if (is_blank(text_.substr(source.begin, place - source.begin))) {
      gap = within.begin;
    } else if (is_blank(text_.substr(place, source.end - place))) {
      gap = within.end;
    } else if (left && (!is_space_before(place) || !right)) {
      gap = *left + 1;
    } else if (right) {
      gap = *right;
    }
    for (const std::size_t other : children) {
      const PieceRange range = ranges_[other];
      if (has_text(other) && range.begin < gap && gap < range.end)
        gap = place <= marks_[other].begin ? range.begin : range.end;
    }
    ranges_[mark] = {gap, gap};
  }

  const MarkedText& source_;
  std::string_view text_;
  const std::vector<Mark>& marks_;
  bool covers_;
  std::span<const AlignedPiece> pieces_;
  std::vector<PieceRange> ranges_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<bool> taken_;
};

}  // namespace

std::vector<PieceRange> place_marks(const MarkedText& source,
                                    std::span<const AlignedPiece> pieces) {
  return Placement(source, pieces).place();
}

}  // namespace attend
