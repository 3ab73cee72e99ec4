#include "attend/documents/office/drawing_part.h"

#include <algorithm>

#include "attend/documents/markup/element_tree.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/office/paragraphs.h"

namespace attend {
namespace {

class DrawingParagraphs final : public Paragraphs {
 public:
  DrawingParagraphs(std::vector<MarkupPiece> pieces, bool keeps_placeholders)
      : Paragraphs(std::move(pieces)), keeps_placeholders_(keeps_placeholders) {}

 private:
  bool is_paragraph(const MarkupPiece& piece) const override {
    return piece.name == "a:p" && !piece.closes && !piece.closes_self;
  }
  bool is_within_text(std::size_t) const override { return false; }
  bool has_own_text() const override { return false; }
  bool is_kept(std::size_t i) const override {
    if (!keeps_placeholders_ || piece(i).name != "p:sp") return false;
    const std::span<const MarkupPiece> shape = range(i, partner(i));
    return std::any_of(shape.begin(), shape.end(),
                       [](const MarkupPiece& one) { return one.name == "p:ph"; });
  }
  bool read_special(std::size_t begin, std::size_t end) override {
    if (piece(begin).name == "a:br") {
      add_between(whole(begin, end));
    } else if (piece(begin).name == "a:r") {
      read_run(begin, end);
    } else {
      return false;
    }
    return true;
  }

  void read_run(std::size_t begin, std::size_t end) {
    std::size_t text = begin;
    while (text < end && piece(text).name != "a:t") ++text;
    const std::size_t last = text < end ? partner(text) : kNoPartner;
    if (last == kNoPartner || last <= text + 1 || last >= end) return add_point(whole(begin, end));
    add({.raw = whole(begin, text), .name = "a:r", .is_inline = true});
    for (std::size_t i = text + 1; i < last; ++i) {
      const std::size_t behind = partner(i) == kNoPartner ? i : std::max(partner(i), i);
      if (piece(i).is_text) {
        add(piece(i));
      } else {
        add_point(whole(i, behind));  // a comment
      }
      i = behind;
    }
    add({.raw = whole(last, end), .name = "a:r", .closes = true, .is_inline = true});
  }

  bool keeps_placeholders_;
};

MarkupDocument read_part(std::string_view xml, bool keeps_placeholders) {
  return {DrawingParagraphs(all_pieces(xml, MarkupLanguage::xml), keeps_placeholders).read(true),
          escaped_markup};
}

}  // namespace

MarkupDocument drawing_part(std::string_view xml) { return read_part(xml, false); }

MarkupDocument drawing_part_without_placeholders(std::string_view xml) {
  return read_part(xml, true);
}

}  // namespace attend
