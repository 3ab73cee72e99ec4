// What the dialects of office files have in common: their prose is what stands in the text of a
// paragraph, and nothing else.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/markup/text_blocks.h"

namespace attend {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names);

// Reads paragraphs, elements within their text, and others.
class Paragraphs {
 public:
  // The pieces of a whole part.
  explicit Paragraphs(std::vector<MarkupPiece> pieces);
  virtual ~Paragraphs() = default;

  TextBlocks read(bool text_in_marks);

 protected:
  virtual bool is_paragraph(const MarkupPiece& piece) const = 0;
  // An element whose content is text of the paragraph.
  virtual bool is_within_text(std::size_t piece) const = 0;
  // Reads the element [begin, end] in the text of a paragraph if it is a special one.
  virtual bool read_special(std::size_t begin, std::size_t end) = 0;
  // Texts of the paragraph that stand in no special element.
  virtual bool has_own_text() const = 0;
  // An element that stays as it is, with its paragraphs.
  virtual bool is_kept(std::size_t) const { return false; }
  virtual void end_paragraph() {}

  std::span<const MarkupPiece> range(std::size_t begin, std::size_t end) const {
    return std::span(pieces_).subspan(begin, end + 1 - begin);
  }
  std::string_view whole(std::size_t begin, std::size_t end) const;
  const MarkupPiece& piece(std::size_t i) const { return pieces_[i]; }
  // The other tag of an element (element_tree.h).
  std::size_t partner(std::size_t i) const { return partners_[i]; }
  bool holds_paragraphs(std::size_t begin, std::size_t end) const;

  void add(MarkupPiece piece) { out_.push_back(std::move(piece)); }
  void add_character(std::string_view raw, std::string character);
  void add_made(std::string raw, MarkupPiece piece);
  // One piece that stays as it is, at its place in the text.
  void add_point(std::string_view raw);
  // Such a piece, of the elements [begin, end], with paragraphs of its own: a text box, a note.
  void add_inset(std::size_t begin, std::size_t end);
  // Pieces between texts, which end the one before.
  void add_between(std::string_view raw) { add({.raw = raw}); }
  std::string_view keep(std::string made) { return made_.emplace_back(std::move(made)); }

 private:
  struct Inset {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<MarkupPiece> pieces;
  };

  void read_range(std::size_t begin, std::size_t end, bool in_paragraph);
  void read_in_paragraph(std::size_t begin, std::size_t end);
  void read_paragraph(std::size_t begin, std::size_t end);
  void keep_paragraph(std::size_t begin, std::size_t end, std::size_t before,
                      std::size_t first_inset);
  void add_element(std::size_t begin, std::size_t end);

  std::vector<MarkupPiece> pieces_;
  std::vector<std::size_t> partners_;
  std::vector<MarkupPiece> out_;
  std::deque<std::string> made_;  // the markup of pieces that are not in the part
  std::deque<Inset> insets_;
  std::size_t open_insets_ = 0;
};

}  // namespace attend
