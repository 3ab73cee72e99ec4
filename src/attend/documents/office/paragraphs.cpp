#include "attend/documents/office/paragraphs.h"

#include <algorithm>
#include <utility>

#include "attend/core/strings/utf8.h"
#include "attend/documents/markup/element_tree.h"

namespace attend {
namespace {

constexpr std::size_t kAnyDepth = static_cast<std::size_t>(-1);
// Insets within one another; those within them end the text that they stand in.
constexpr std::size_t kDeepestInsets = 4;

}  // namespace

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Paragraphs::Paragraphs(std::vector<MarkupPiece> pieces)
    : pieces_(std::move(pieces)), partners_(partners_of(pieces_, kAnyDepth)) {}

TextBlocks Paragraphs::read(bool text_in_marks) {
  read_range(0, pieces_.size(), false);
  return blocks_of(out_, text_in_marks);
}

std::string_view Paragraphs::whole(std::size_t begin, std::size_t end) const {
  const char* const first = pieces_[begin].raw.data();
  const std::string_view last = pieces_[end].raw;
  return {first, static_cast<std::size_t>(last.data() + last.size() - first)};
}

bool Paragraphs::holds_paragraphs(std::size_t begin, std::size_t end) const {
  const std::span<const MarkupPiece> inside = range(begin, end);
  return std::any_of(inside.begin(), inside.end(),
                     [&](const MarkupPiece& piece) { return is_paragraph(piece); });
}

void Paragraphs::add_character(std::string_view raw, std::string character) {
  add({.raw = raw, .is_text = true, .literal = keep(std::move(character))});
}

void Paragraphs::add_made(std::string raw, MarkupPiece piece) {
  piece.raw = keep(std::move(raw));
  add(std::move(piece));
}

void Paragraphs::add_point(std::string_view raw) {
  add({.raw = raw, .closes_self = true, .is_inline = true});
}

void Paragraphs::add_inset(std::size_t begin, std::size_t end) {
  if (open_insets_ == kDeepestInsets) return read_range(begin, end + 1, false);
  ++open_insets_;
  std::vector<MarkupPiece> outer = std::exchange(out_, {});
  read_range(begin, end + 1, false);
  const Inset& inset =
      insets_.emplace_back(Inset{begin, end, std::exchange(out_, std::move(outer))});
  --open_insets_;
  add({.closes_self = true, .is_inline = true, .inset = &inset.pieces});
}

void Paragraphs::read_range(std::size_t begin, std::size_t end, bool in_paragraph) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::size_t last = partners_[i] == kNoPartner ? i : std::max(partners_[i], i);
    if (in_paragraph) {
      read_in_paragraph(i, last);
      i = last;
    } else if (last > i && is_kept(i)) {
      add_between(whole(i, last));
      i = last;
    } else {
      add_between(pieces_[i].raw);
      if (!is_paragraph(pieces_[i]) || last == i) continue;
      read_paragraph(i, last);
      i = last;
    }
  }
}

// A text or an element in the text of a paragraph.
void Paragraphs::read_in_paragraph(std::size_t begin, std::size_t end) {
  if (pieces_[begin].is_text && has_own_text()) {
    add(pieces_[begin]);
  } else if (partners_[begin] == kNoPartner) {
    add_between(pieces_[begin].raw);
  } else if (pieces_[begin].is_text || is_kept(begin)) {
    add_point(whole(begin, end));
  } else if (read_special(begin, end)) {
  } else if (is_within_text(begin)) {
    add_element(begin, end);
  } else if (holds_paragraphs(begin, end)) {
    add_inset(begin, end);
  } else {
    add_point(whole(begin, end));
  }
}

void Paragraphs::read_paragraph(std::size_t begin, std::size_t end) {
  const std::size_t before = out_.size(), first_inset = insets_.size();
  read_range(begin + 1, end, true);
  end_paragraph();
  const std::span<const MarkupPiece> read = std::span(out_).subspan(before);
  const bool has_text = std::any_of(read.begin(), read.end(), [](const MarkupPiece& piece) {
    return piece.is_text && !is_blank(piece.text());
  });
  if (!has_text) keep_paragraph(begin, end, before, first_inset);
  add_between(pieces_[end].raw);
}

// Takes back what was read of a paragraph without text: all of it but its insets stays as it is.
void Paragraphs::keep_paragraph(std::size_t begin, std::size_t end, std::size_t before,
                                std::size_t first_inset) {
  const std::vector<MarkupPiece> read(out_.begin() + static_cast<std::ptrdiff_t>(before),
                                      out_.end());
  out_.resize(before);
  std::size_t at = begin + 1;
  for (const MarkupPiece& piece : read) {
    if (piece.inset == nullptr) continue;
    while (&insets_[first_inset].pieces != piece.inset) ++first_inset;
    const Inset& inset = insets_[first_inset];
    if (inset.begin > at) add_between(whole(at, inset.begin - 1));
    out_.insert(out_.end(), inset.pieces.begin(), inset.pieces.end());
    at = inset.end + 1;
  }
  if (end > at) add_between(whole(at, end - 1));
}

void Paragraphs::add_element(std::size_t begin, std::size_t end) {
  add(pieces_[begin]);
  out_.back().is_inline = true;
  if (end == begin) return;
  read_range(begin + 1, end, true);
  add(pieces_[end]);
  out_.back().is_inline = true;
}

}  // namespace attend
