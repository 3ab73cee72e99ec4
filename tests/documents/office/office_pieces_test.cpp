#include "attend/documents/office/office_pieces.h"

#include <gtest/gtest.h>

#include "attend/documents/markup/xml.h"
#include "documents/in_capitals.h"
#include "documents/word_document.h"

namespace attend {
namespace {

using Strings = std::vector<std::string>;

Strings block_texts(const MarkupDocument& document) {
  Strings texts;
  for (const MarkedText& block : document.blocks()) texts.push_back(block.text);
  return texts;
}

std::string checked_capitals(const MarkupDocument& document) {
  const std::string out = document.translation(in_capitals(block_texts(document)).texts, 0);
  require_well_formed(out, "the translation");
  return out;
}

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
  EXPECT_EQ(block_texts(word(run)), Strings{"a line\nb\tc\n"});
  EXPECT_EQ(
      word_in_capitals(run),
      "<w:r><w:t xml:space=\"preserve\">A LINE</w:t><w:br/><w:t xml:space=\"preserve\">B</w:t>"
      "<w:tab/><w:t xml:space=\"preserve\">C</w:t><w:br/><w:t xml:space=\"preserve\"></w:t></w:r>");
}

TEST(WordPieces, TextsOfARunAreOneText) {
  EXPECT_EQ(block_texts(word("<w:r><w:rPr><w:b/></w:rPr><w:t>un</w:t><w:t>do</w:t></w:r>"
                             "<w:r><w:t>-it</w:t><w:noBreakHyphen/><w:t>x</w:t></w:r>")),
            Strings{"undo-it\u2011x"});
}

TEST(WordPieces, CommentsAndLiteralTextAreRead) {
  EXPECT_EQ(block_texts(word("<w:r><w:t>a <!-- no -->b<![CDATA[ & c]]> &amp; d</w:t></w:r>")),
            Strings{"a b & c & d"});
}

TEST(WordPieces, PageBreaksEndATextAndPicturesDoNot) {
  const std::string run =
      "<w:r><w:rPr><w:b/></w:rPr><w:t>a</w:t><w:br w:type=\"page\"/><w:t>b</w:t></w:r>";
  EXPECT_EQ(block_texts(word(run)), (Strings{"a", "b"}));
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
  EXPECT_EQ(block_texts(word(box)), (Strings{"see", "in the box", "after"}));
  const std::string out = word_in_capitals(box);
  EXPECT_NE(out.find("<wp14:pctWidth>0</wp14:pctWidth>"), out.npos) << out;
  EXPECT_NE(out.find("IN THE BOX"), out.npos) << out;
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
      block_texts(word_part(
          "<w:body><w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:t>no</w:t></w:r>"
          "</w:p><w:p><w:r><w:t>yes</w:t></w:r></w:p></w:body>")),
      Strings{"yes"});
}

TEST(WordPieces, TheTextOfALinkIsProse) {
  const std::string link =
      "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> HYPERLINK \"x\" "
      "</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>"
      "<w:r><w:t>a link</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
  EXPECT_EQ(block_texts(word(link)), Strings{"a link"});
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

MarkupDocument open_document(const std::string& content) {
  return open_document_part("<office:text><text:p>" + content + "</text:p></office:text>");
}
std::string open_document_in_capitals(const std::string& content) {
  const std::string out = checked_capitals(open_document(content));
  return out.substr(21, out.size() - 21 - 23);
}

TEST(OpenDocumentPieces, CharactersThatAreElementsSeparateWords) {
  const std::string text =
      "a line<text:line-break/>b<text:tab/>c <text:s text:c=\"2\"/>d<text:s/>e";
  EXPECT_EQ(block_texts(open_document(text)), Strings{"a line\nb\tc   d e"});
  EXPECT_EQ(open_document_in_capitals(text),
            "A LINE<text:line-break/>B<text:tab/>C <text:s text:c=\"2\"/>D E");
}

TEST(OpenDocumentPieces, WhatIsNoProseStaysAsItIs) {
  for (const std::string element :
       {"<text:date text:fixed=\"true\">may</text:date>",
        "<text:author-name>ann</text:author-name>", "<text:page-number>one</text:page-number>",
        "<text:bibliography-mark>[ab]</text:bibliography-mark>",
        "<text:bookmark text:name=\"x\"/>"})
    EXPECT_EQ(open_document_in_capitals("on " + element + " he"), "ON " + element + " HE");
  const std::string style = "<office:styles><number:text>of</number:text></office:styles>";
  EXPECT_EQ(checked_capitals(open_document_part(style)), style);
}

TEST(OpenDocumentPieces, NotesHaveParagraphsOfTheirOwn) {
  EXPECT_EQ(block_texts(open_document("a<text:note><text:note-citation>1</text:note-citation>"
                                      "<text:note-body><text:p>the note</text:p></text:note-body>"
                                      "</text:note>")),
            (Strings{"a", "the note"}));
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

TEST(OpenDocument, SpansStayWithTheirWords) {
  EXPECT_EQ(checked_capitals(open_document_part(
                "<office:text><text:h>a title</text:h><text:p>some "
                "<text:span text:style-name=\"T1\">bold words</text:span> here.<text:line-break/>"
                "</text:p></office:text>")),
            "<office:text><text:h>A TITLE</text:h><text:p>SOME "
            "<text:span text:style-name=\"T1\">BOLD WORDS</text:span> HERE.<text:line-break/>"
            "</text:p></office:text>");
}

TEST(OpenDocument, WritesNoEscapesThatXmlDoesNotKnow) {
  EXPECT_EQ(checked_capitals(open_document_part("<text:p>at&amp;t; &amp;nbsp; &lt;b></text:p>")),
            "<text:p>AT&amp;T; &amp;NBSP; &lt;B&gt;</text:p>");
}

}  // namespace
}  // namespace attend
