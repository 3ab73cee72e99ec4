#include "attend/documents/office/paragraphs.h"

#include <gtest/gtest.h>

#include "attend/documents/markup/html_characters.h"
#include "documents/office/part_in_capitals.h"

namespace attend {
namespace {

// <p> is a paragraph, <in> an element in its text, <keep> one that stays.
class SmallDialect final : public Paragraphs {
 public:
  using Paragraphs::Paragraphs;

 private:
  bool is_paragraph(const MarkupPiece& piece) const override {
    return piece.name == "p" && !piece.closes && !piece.closes_self;
  }
  bool is_within_text(std::size_t i) const override { return piece(i).name == "in"; }
  bool read_special(std::size_t, std::size_t) override { return false; }
  bool has_own_text() const override { return true; }
  bool is_kept(std::size_t i) const override { return piece(i).name == "keep"; }
};

std::string small_in_capitals(const std::string& xml) {
  return checked_capitals(
      {SmallDialect(all_pieces(xml, MarkupLanguage::xml)).read(false), escaped_markup});
}

TEST(Paragraphs, AreTheOnlyProse) {
  EXPECT_EQ(small_in_capitals("<x>no<p>yes <in>in it</in><y>no</y></p><keep><p>no</p></keep></x>"),
            "<x>no<p>YES <in>IN IT</in><y>no</y></p><keep><p>no</p></keep></x>");
}

TEST(Paragraphs, WithinAParagraphAreInsets) {
  EXPECT_EQ(small_in_capitals("<p>a<n>no<p>note</p></n> b</p>"), "<p>A<n>no<p>NOTE</p></n> B</p>");
  EXPECT_EQ(small_in_capitals("<p> <n><p>note</p></n><in> </in></p>"),
            "<p> <n><p>NOTE</p></n><in> </in></p>");
}

}  // namespace
}  // namespace attend
