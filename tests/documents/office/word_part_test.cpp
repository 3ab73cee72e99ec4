#include "attend/documents/office/word_part.h"

#include <gtest/gtest.h>

#include "documents/office/part_in_capitals.h"
#include "documents/strings_of.h"
#include "documents/word_document.h"

namespace attend {
namespace {

// A paragraph of Word with this content.
MarkupDocument word(const std::string& content) {
  return word_part("<w:body><w:p>" + content + "</w:p></w:body>");
}
std::string word_in_capitals(const std::string& content) {
  const std::string out = checked_capitals(word(content));
  return out.substr(13, out.size() - 13 - 15);
}

TEST(WordPieces, TabsAndLineBreaksOfARunEndSentences) {
  const std::string run =
      "<w:r><w:t>a line</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:cr/></w:r>";
  EXPECT_EQ(strings_of(word(run).texts()), Strings{"a line\nb\tc\n"});
  EXPECT_EQ(
      word_in_capitals(run),
      "<w:r><w:t xml:space=\"preserve\">A LINE</w:t><w:br/><w:t xml:space=\"preserve\">B</w:t>"
      "<w:tab/><w:t xml:space=\"preserve\">C</w:t><w:br/><w:t xml:space=\"preserve\"></w:t></w:r>");
}

TEST(WordPieces, TextsOfARunAreOneText) {
  EXPECT_EQ(strings_of(word("<w:r><w:rPr><w:b/></w:rPr><w:t>un</w:t><w:t>do</w:t></w:r>"
                            "<w:r><w:t>-it</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r>")
                           .texts()),
            Strings{"undo-it\u2011x"});
}

TEST(WordPieces, CommentsAndLiteralTextAreRead) {
  EXPECT_EQ(
      strings_of(word("<w:r><w:t>a <!-- no -->b<![CDATA[ & c]]> &amp; d</w:t></w:r>").texts()),
      Strings{"a b & c & d"});
}

TEST(WordPieces, PageBreaksEndATextAndPicturesDoNot) {
  const std::string run =
      "<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t><w:br w:type=\"page\"/><w:t>b</w:t></w:r>";
  EXPECT_EQ(strings_of(word(run).texts()), (Strings{"a", "b"}));
  EXPECT_EQ(word_in_capitals(run),
            "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">A</w:t></w:r>"
            "<w:r><w:rPr><w:b/></w:rPr><w:br w:type=\"page\"/></w:r>"
            "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">B</w:t></w:r>");
  const std::string picture = "<w:r><w:drawing><a:x/></w:drawing></w:r>";
  EXPECT_EQ(word_in_capitals(picture + "<w:r><w:t>a</w:t></w:r>"),
            picture + "<w:r><w:t xml:space=\"preserve\">A</w:t></w:r>");
}

TEST(WordPieces, ATextBoxHasParagraphsOfItsOwn) {
  const std::string box =
      "<w:r><w:t>see</w:t></w:r><w:r><w:pict><wp14:pctWidth>0</wp14:pctWidth><w:txbxContent><w:p>"
      "<w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent><v:x>0</v:x></w:pict></w:r>"
      "<w:r><w:t>after</w:t></w:r>";
  EXPECT_EQ(strings_of(word(box).texts()), (Strings{"seeafter", "in the box"}));
  const std::string out = word_in_capitals(box);
  EXPECT_NE(out.find("<wp14:pctWidth>0</wp14:pctWidth>"), out.npos) << out;
  EXPECT_NE(out.find("IN THE BOX"), out.npos) << out;
}

TEST(WordPieces, NotesCommentsAndSymbolsArePointsInTheirSentence) {
  for (const std::string point :
       {"<w:r><w:rPr><w:vertAlign w:val=\"superscript\"/></w:rPr><w:footnoteReference w:id=\"2\"/>"
        "</w:r>",
        "<w:commentRangeEnd w:id=\"0\"/>", "<w:r><w:commentReference w:id=\"0\"/></w:r>",
        "<w:r><w:sym w:font=\"Wingdings\" w:char=\"F04A\"/></w:r>"}) {
    const std::string text = "<w:r><w:t xml:space=\"preserve\">a dog</w:t></w:r>" + point +
                             "<w:r><w:t xml:space=\"preserve\"> sleeps.</w:t></w:r>";
    EXPECT_EQ(strings_of(word(text).texts()), Strings{"a dog sleeps."}) << point;
    EXPECT_EQ(word_in_capitals(text), "<w:r><w:t xml:space=\"preserve\">A DOG</w:t></w:r>" + point +
                                          "<w:r><w:t xml:space=\"preserve\"> SLEEPS.</w:t></w:r>");
  }
}

TEST(WordPieces, ASymbolIsGluedToItsWord) {
  EXPECT_EQ(
      word_in_capitals("<w:r><w:t>a dog</w:t><w:sym w:char=\"F04A\"/><w:t> sleeps</w:t></w:r>"),
      "<w:r><w:t xml:space=\"preserve\">A DOG</w:t></w:r><w:r><w:sym w:char=\"F04A\"/></w:r>"
      "<w:r><w:t xml:space=\"preserve\"> SLEEPS</w:t></w:r>");
}

TEST(WordPieces, SoftHyphensAreLeftOut) {
  EXPECT_EQ(
      strings_of(word("<w:r><w:t>un</w:t><w:softHyphen/><w:t>do\u00adne</w:t></w:r>").texts()),
      Strings{"undone"});
  EXPECT_EQ(word_in_capitals("<w:r><w:t>un</w:t></w:r><w:r><w:softHyphen/></w:r>"
                             "<w:r><w:t>do</w:t></w:r>"),
            "<w:r><w:t xml:space=\"preserve\">UN</w:t></w:r>"
            "<w:r><w:t xml:space=\"preserve\">DO</w:t></w:r>");
}

TEST(WordPieces, ATextBoxAmongTheTextOfARunIsAPoint) {
  const std::string box =
      "<w:pict><w:txbxContent><w:p><w:r><w:t xml:space=\"preserve\">%</w:t></w:r></w:p>"
      "</w:txbxContent></w:pict>";
  const auto with = [&](const std::string& text) {
    return std::string(box).replace(box.find('%'), 1, text);
  };
  EXPECT_EQ(word_in_capitals("<w:r><w:t>a</w:t>" + with("in it") + "<w:t>b</w:t></w:r>"),
            "<w:r><w:t xml:space=\"preserve\">A</w:t></w:r><w:r>" + with("IN IT") +
                "</w:r><w:r><w:t xml:space=\"preserve\">B</w:t></w:r>");
  EXPECT_EQ(word_in_capitals("<w:r>" + with("alone") + "</w:r>"),
            "<w:r>" + with("ALONE") + "</w:r>");
}

TEST(WordPieces, WhatIsNoProseStaysAsItIs) {
  for (const std::string content :
       {"<m:oMath><m:r><m:t>x over y</m:t></m:r></m:oMath>",
        "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>",
        "<w:fldSimple w:instr=\" PAGE \"><w:r><w:t>one</w:t></w:r></w:fldSimple>",
        "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> DATE "
        "</w:instrText></w:r>"
        "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>may</w:t></w:r>"
        "<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"}) {
    EXPECT_EQ(word_in_capitals(content), content);
    const std::string text = "<w:r><w:t xml:space=\"preserve\">A </w:t></w:r>";
    EXPECT_EQ(word_in_capitals("<w:r><w:t xml:space=\"preserve\">a </w:t></w:r>" + content),
              text + content);
  }
}

TEST(WordPieces, AFieldWithoutAnEndEndsWithItsParagraph) {
  EXPECT_EQ(
      strings_of(
          word_part(
              "<w:body><w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:t>no</w:t></w:r>"
              "</w:p><w:p><w:r><w:t>yes</w:t></w:r></w:p></w:body>")
              .texts()),
      Strings{"yes"});
}

TEST(WordPieces, TheTextOfALinkIsProse) {
  const std::string link =
      "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> HYPERLINK \"x\" "
      "</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>"
      "<w:r><w:t>a link</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
  EXPECT_EQ(strings_of(word(link).texts()), Strings{"a link"});
}

TEST(WordPieces, ParagraphsWithoutTextStayByteForByte) {
  for (const char* content : {"<w:r><w:tab/></w:r>", "<w:r><w:t> </w:t></w:r>\n<w:r><w:br/></w:r>",
                              "<w:hyperlink><w:r><w:t/></w:r></w:hyperlink>", " ", "x"})
    EXPECT_EQ(word_in_capitals(content), content);
}

TEST(WordPieces, SpacesBetweenRunsArePoints) {
  EXPECT_EQ(word_in_capitals("<w:r><w:t>a</w:t></w:r>\n  <w:r><w:t>b</w:t></w:r>"),
            "<w:r><w:t xml:space=\"preserve\">A</w:t></w:r>\n  "
            "<w:r><w:t xml:space=\"preserve\">B</w:t></w:r>");
}

TEST(WordPieces, BadlyNestedRunsStayAsTheyAre) {
  for (const char* run :
       {"<w:r><w:rPr><w:t>a</w:t></w:r>", "<w:r><w:t>a</w:r>", "<w:r></w:t>a</w:r>"})
    EXPECT_TRUE(word(run).blocks().empty()) << run;
}

TEST(WordPieces, TextOutsideOfParagraphsStaysAsItIs) {
  EXPECT_TRUE(word_part("<w:x><w:r><w:t>a</w:t></w:r> b</w:x>").blocks().empty());
}

TEST(WordDocument, TextsStayInTheirRuns) {
  EXPECT_EQ(
      checked_capitals(word_part(kWordDocument)),
      "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr><w:b/></w:pPr>"
      "<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">A BOLD </w:t></w:r>"
      "<w:r><w:t xml:space=\"preserve\">WORD &amp;</w:t></w:r>"
      "<w:r><w:t xml:space=\"preserve\"> </w:t><w:tab/><w:t xml:space=\"preserve\"></w:t></w:r>"
      "<w:hyperlink r:id=\"x\">"
      "<w:r><w:t xml:space=\"preserve\">A LINK</w:t></w:r></w:hyperlink></w:p>"
      "<w:p><w:r><w:t xml:space=\"preserve\">NEXT</w:t></w:r></w:p></w:body></w:document>");
}

}  // namespace
}  // namespace attend
