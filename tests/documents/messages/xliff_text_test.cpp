#include "attend/documents/messages/xliff_text.h"

#include <gtest/gtest.h>

#include "attend/core/too_long.h"
#include "attend/documents/markup/element_tree.h"

namespace attend {
namespace {

MarkedText marked(const std::string& xml, std::string_view prefix = "") {
  const std::vector<MarkupPiece> pieces = all_pieces(xml, MarkupLanguage::xml);
  return xliff_text(pieces, partners_of(pieces, pieces.size()), prefix);
}

// The text with [ ] around what is within marks, and * for points.
std::string sketch(const std::string& xml, std::string_view prefix = "") {
  const MarkedText text = marked(xml, prefix);
  std::string out;
  for (std::size_t at = 0; at <= text.text.size(); ++at) {
    for (auto mark = text.marks.rbegin(); mark != text.marks.rend(); ++mark)
      if (mark->end == at && mark->end > mark->begin) out += ']';
    for (const Mark& mark : text.marks)
      if (mark.begin == at) out += mark.end == mark.begin && mark.close.empty() ? '*' : '[';
    out += text.text.substr(at, 1);
  }
  return out;
}

TEST(XliffText, HasElementsAsMarks) {
  EXPECT_EQ(sketch("a <g id=\"1\">b <mrk>c</mrk></g>&lt;d"), "a [b [c]]<d");
  const MarkedText text = marked("a <pc id=\"1\">b</pc>");
  EXPECT_EQ(text.marks[0].open, "<pc id=\"1\">");
  EXPECT_EQ(text.marks[0].close, "</pc>");
}

TEST(XliffText, HasCodesAsPoints) {
  EXPECT_EQ(sketch("a<x id=\"1\"/>b<ph id=\"2\">&lt;br&gt;</ph>c<it>x</it><!-- n -->"), "a*b*c**");
  EXPECT_EQ(sketch("a <mrk mtype=\"protected\">b</mrk> <mrk translate=\"no\">c</mrk>"), "a * *");
  EXPECT_EQ(sketch("a <x:ph>b</x:ph><ph>c</ph>", "x:"), "a *[c]") << "an element of others";
}

TEST(XliffText, HasCodesThatSpanText) {
  EXPECT_EQ(sketch("a <bx id=\"1\" rid=\"7\"/>b<ex id=\"2\" rid=\"7\"/>"), "a [b]");
  EXPECT_EQ(sketch("<bpt id=\"1\">&lt;b></bpt>b<ept id=\"1\">&lt;/b></ept>"), "[b]");
  EXPECT_EQ(sketch("a <sc id=\"1\"/>b<ec startRef=\"1\"/>"), "a [b]");
  EXPECT_EQ(marked("a <sc id=\"1\"/>b<ec startRef=\"1\"/>").marks[0].close, "<ec startRef=\"1\"/>");
}

TEST(XliffText, CodesThatOverlapStayPoints) {
  EXPECT_EQ(sketch("<sc id=\"1\"/>a<sc id=\"2\"/>b<ec startRef=\"1\"/>c<ec startRef=\"2\"/>"),
            "*a[b*c]");
  EXPECT_EQ(sketch("<g><bx id=\"1\"/>a</g>b<ex id=\"1\"/>"), "[*a]b*");
  EXPECT_EQ(sketch("<bx/>a<ex/>"), "*a*");
}

TEST(XliffText, WithTooManyCodesIsRefused) {
  std::string many, deep;
  for (int i = 0; i < 2000; ++i) many += "<x/>";
  for (int i = 0; i < 40; ++i) deep = "<g>" + deep + "a</g>";
  EXPECT_THROW(marked(many), TooLongError);
  EXPECT_THROW(marked(deep), TooLongError);
}

}  // namespace
}  // namespace attend
