#include "attend/documents/markup/text_blocks.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/element_tree.h"
#include "attend/documents/markup/html_elements.h"

namespace attend {
namespace {

// Marks in one block, and marks within one another; the rest ends the block.
constexpr std::size_t kMostMarks = 1024;
constexpr std::size_t kDeepestMarks = 16;

std::string_view space_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && html::is_space(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::string raw_of(std::span<const MarkupPiece> pieces) {
  std::string raw;
  for (const MarkupPiece& piece : pieces) raw += piece.raw;
  return raw;
}

// A translated word has other places for hyphens.
std::string without_soft_hyphens(std::string text) {
  constexpr std::string_view kSoftHyphen = "\u00ad";
  std::size_t begin = text.find(kSoftHyphen);
  if (begin == text.npos) return text;
  std::string out;
  std::size_t at = 0;
  for (; begin != text.npos; begin = text.find(kSoftHyphen, at)) {
    out.append(text, at, begin - at);
    at = begin + kSoftHyphen.size();
  }
  return out.append(text, at);
}

bool is_void_of_text(const MarkupPiece& piece) {
  return is_blank(without_soft_hyphens(piece.text()));
}

bool is_letter_or_digit(char32_t c) { return unicode::is_letter(c) || unicode::is_number(c); }

// Whether the element from piece `first` to `last` is the number of a note, an exponent or the
// like: nothing to translate, right after a word (`before`), which the translator knows better
// without.
bool is_note(std::span<const MarkupPiece> run, std::size_t first, std::size_t last,
             std::string_view before) {
  constexpr std::array<std::string_view, 3> kNames{"sup", "sub", "a"};
  if (std::find(kNames.begin(), kNames.end(), run[first].name) == kNames.end() || before.empty())
    return false;
  std::size_t at = begin_of_character_before(before, before.size());
  if (is_white_space(next_code_point(before, at))) return false;
  bool has_text = false;
  for (const MarkupPiece& piece : run.subspan(first, last - first)) {
    if (!piece.is_text) continue;
    const std::u32string inside = unicode::decode(piece.text());
    if (std::any_of(inside.begin(), inside.end(), unicode::is_letter)) return false;
    has_text = has_text || !is_void_of_text(piece);
  }
  if (!has_text) return false;
  for (const MarkupPiece& piece : run.subspan(last)) {
    if (!piece.is_text) continue;
    const std::u32string after = unicode::decode(piece.text());
    return after.empty() || !is_letter_or_digit(after.front());
  }
  return true;
}

// Collects the pieces between tags of blocks, and makes blocks of them.
class BlockCollector {
 public:
  explicit BlockCollector(bool text_in_marks) : text_in_marks_(text_in_marks) {}

  void add(const MarkupPiece& piece) {
    const bool within = piece.is_text || piece.is_inline;
    if (!within || marks_ == kMostMarks) flush();
    if (within) {
      run_.push_back(piece);
      if (!piece.is_text) ++marks_;
    } else {
      add_between(piece);
    }
  }
  TextBlocks finish() {
    flush();
    return std::move(found_);
  }

 private:
  std::string& between() { return found_.between.back(); }

  // Where no text is around it, the texts of an inset are texts like others.
  void add_between(const MarkupPiece& piece) {
    if (piece.inset == nullptr) {
      between() += piece.raw;
      return;
    }
    TextBlocks own = blocks_of(*piece.inset, text_in_marks_);
    for (MarkedText& block : own.blocks)
      for (Mark& mark : block.marks)
        if (mark.inset >= 0) mark.inset += static_cast<int>(found_.insets.size());
    between() += own.between.front();
    std::move(own.between.begin() + 1, own.between.end(), std::back_inserter(found_.between));
    std::move(own.blocks.begin(), own.blocks.end(), std::back_inserter(found_.blocks));
    std::move(own.insets.begin(), own.insets.end(), std::back_inserter(found_.insets));
  }

  void flush() {
    add_run(run_);
    run_.clear();
    marks_ = 0;
  }

  // Tags without a partner within the run end a block.
  void add_run(std::span<const MarkupPiece> run) {
    const std::vector<std::size_t> partners = partners_of(run, kDeepestMarks);
    std::size_t begin = 0;
    bool split = false;
    for (std::size_t i = 0; i <= run.size(); ++i) {
      if (i < run.size() && partners[i] != kNoPartner) continue;
      split = split || i < run.size();
      const std::span<const MarkupPiece> part = run.subspan(begin, i - begin);
      if (split) {
        add_run_again(part);
      } else {
        add_block(part, partners);
      }
      if (i < run.size()) add_between(run[i]);
      begin = i + 1;
    }
  }
  // A pair around a tag without a partner has been split: its tags are alone now.
  void add_run_again(std::span<const MarkupPiece> run) {
    const std::vector<std::size_t> partners = partners_of(run, kDeepestMarks);
    if (std::find(partners.begin(), partners.end(), kNoPartner) == partners.end())
      return add_block(run, partners);
    for (const MarkupPiece& piece : run) {
      if (piece.is_text) {
        add_block({&piece, 1}, {0});
      } else {
        add_between(piece);
      }
    }
  }

  void add_block(std::span<const MarkupPiece> run, const std::vector<std::size_t>& partners) {
    if (std::all_of(run.begin(), run.end(),
                    [](const MarkupPiece& p) { return !p.is_text || is_void_of_text(p); })) {
      for (const MarkupPiece& piece : run) add_between(piece);
      return;
    }
    MarkedText block{.text = {}, .marks = {}, .text_in_marks = text_in_marks_};
    std::vector<std::size_t> mark_of(run.size());
    int parent = -1;
    for (std::size_t i = 0; i < run.size(); ++i) {
      const std::size_t at = block.text.size();
      if (run[i].is_text) {
        add_text(run[i], parent, block);
      } else if (partners[i] > i && is_note(run, i, partners[i], block.text)) {
        block.marks.push_back({at, at, raw_of(run.subspan(i, partners[i] + 1 - i)), "", parent});
        i = partners[i];
      } else if (partners[i] >= i) {
        mark_of[i] = block.marks.size();
        block.marks.push_back({at, at, std::string(run[i].raw), "", parent});
        if (run[i].inset != nullptr) {
          block.marks.back().inset = static_cast<int>(found_.insets.size());
          found_.insets.push_back(blocks_of(*run[i].inset, text_in_marks_));
        }
        if (partners[i] > i) parent = static_cast<int>(mark_of[i]);
      } else {
        Mark& mark = block.marks[mark_of[partners[i]]];
        mark.end = at;
        mark.close = run[i].raw;
        parent = mark.parent;
      }
    }
    const bool marks_end =
        std::any_of(block.marks.begin(), block.marks.end(),
                    [&](const Mark& mark) { return mark.end == block.text.size(); });
    const bool ends_in_space = !text_in_marks_ && !marks_end && block.text.ends_with(' ') &&
                               run.back().is_text && run.back().literal.empty();
    if (ends_in_space) block.text.pop_back();
    found_.blocks.push_back(std::move(block));
    found_.between.emplace_back(ends_in_space ? space_at_end(run.back().raw) : "");
  }

  // Says that a space follows the mark that was closed last; `parent` is the innermost open one.
  // The space may stand at the beginning of elements that are open.
  static void mark_space_after(MarkedText& block, int parent) {
    const auto is_open = [&](int i) {
      for (int open = parent; open >= i; open = block.marks[static_cast<std::size_t>(open)].parent)
        if (open == i) return true;
      return false;
    };
    for (int i = static_cast<int>(block.marks.size()) - 1; i >= 0;) {
      Mark& mark = block.marks[static_cast<std::size_t>(i)];
      if (mark.begin != block.text.size()) return;
      mark.space_after = true;
      if (is_open(i)) {
        --i;
      } else if (mark.parent < 0 || is_open(mark.parent)) {
        return;
      } else {
        i = mark.parent;
      }
    }
  }

  void add_text(const MarkupPiece& piece, int parent, MarkedText& block) {
    const std::string text = without_soft_hyphens(piece.text());
    if (text_in_marks_ || !piece.literal.empty()) {
      block.text += text;
      return;
    }
    for (const char c : text) {
      if (!html::is_space(c)) {
        block.text += c;
      } else if (block.text.empty() && block.marks.empty()) {
        between() += c;
      } else if (!block.text.ends_with(' ')) {
        block.text += ' ';
      } else {
        mark_space_after(block, parent);
      }
    }
  }

  TextBlocks found_{{""}, {}, {}};
  bool text_in_marks_;
  std::vector<MarkupPiece> run_;
  std::size_t marks_ = 0;
};

}  // namespace

TextBlocks blocks_of(std::span<const MarkupPiece> pieces, bool text_in_marks) {
  BlockCollector collector(text_in_marks);
  for (const MarkupPiece& piece : pieces) collector.add(piece);
  return collector.finish();
}

}  // namespace attend
