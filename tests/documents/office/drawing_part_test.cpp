#include "attend/documents/office/drawing_part.h"

#include <gtest/gtest.h>

#include "documents/office/part_in_capitals.h"
#include "documents/strings_of.h"

namespace attend {
namespace {

std::string shape(const std::string& content) {
  return "<p:sld><p:sp><p:nvPr/><p:txBody><a:bodyPr/><a:p>" + content +
         "</a:p></p:txBody></p:sp></p:sld>";
}

TEST(DrawingPart, TextsStayInTheirRuns) {
  EXPECT_EQ(checked_capitals(
                drawing_part(shape("<a:pPr lvl=\"1\"/><a:r><a:rPr b=\"1\"/><a:t>a bold </a:t></a:r>"
                                   "<a:r><a:t>dog &amp;\tcat</a:t></a:r><a:endParaRPr/>"))),
            shape("<a:pPr lvl=\"1\"/><a:r><a:rPr b=\"1\"/><a:t>A BOLD </a:t></a:r>"
                  "<a:r><a:t>DOG &amp;\tCAT</a:t></a:r><a:endParaRPr/>"));
}

TEST(DrawingPart, ALineBreakEndsATextAndAFieldStays) {
  const std::string text =
      "<a:r><a:t>a title</a:t></a:r><a:br><a:rPr/></a:br><a:r><a:t>page </a:t></a:r>"
      "<a:fld type=\"slidenum\"><a:t>no</a:t></a:fld>";
  EXPECT_EQ(strings_of(drawing_part(shape(text)).texts()), (Strings{"a title", "page "}));
  EXPECT_EQ(checked_capitals(drawing_part(shape(text))),
            shape("<a:r><a:t>A TITLE</a:t></a:r><a:br><a:rPr/></a:br><a:r><a:t>PAGE </a:t></a:r>"
                  "<a:fld type=\"slidenum\"><a:t>no</a:t></a:fld>"));
}

TEST(DrawingPart, ParagraphsWithoutTextStayByteForByte) {
  for (const char* content : {"<a:r><a:t> </a:t></a:r>", "<a:r><a:t/></a:r>", "<a:br/>", "x",
                              "<a:r></a:r>", "<a:endParaRPr/>"})
    EXPECT_EQ(checked_capitals(drawing_part(shape(content))), shape(content));
}

TEST(DrawingPart, ChartsAndDiagramsHaveParagraphs) {
  EXPECT_EQ(
      strings_of(drawing_part("<c:title><c:rich><a:p><a:r><a:t>sales</a:t></a:r></a:p></c:rich>"
                              "<c:v>no</c:v></c:title>")
                     .texts()),
      Strings{"sales"});
  EXPECT_EQ(
      strings_of(drawing_part("<dgm:t><a:p><a:r><a:t>step</a:t></a:r></a:p></dgm:t>").texts()),
      Strings{"step"});
}

TEST(DrawingPart, PlaceholdersOfMastersAreNoText) {
  const std::string slogan = "<p:sp><a:p><a:r><a:t>slogan</a:t></a:r></a:p></p:sp>";
  const std::string master =
      "<p:sldMaster><p:sp><p:nvPr><p:ph type=\"title\"/></p:nvPr><a:p><a:r><a:t>click</a:t></a:r>"
      "</a:p></p:sp>" +
      slogan + "</p:sldMaster>";
  EXPECT_EQ(strings_of(drawing_part_without_placeholders(master).texts()), Strings{"slogan"});
  EXPECT_EQ(strings_of(drawing_part(master).texts()), (Strings{"click", "slogan"}));
}

TEST(DrawingPart, BadlyNestedRunsStayAsTheyAre) {
  for (const char* run : {"<a:r><a:t>a</a:r>", "<a:r></a:t>a</a:r>", "<a:r><a:t></a:r></a:t>"})
    EXPECT_TRUE(drawing_part(std::string("<a:p>") + run + "</a:p>").texts().empty()) << run;
}

}  // namespace
}  // namespace attend
