#include "attend/documents/office/open_document_part.h"

#include <gtest/gtest.h>

#include "documents/office/part_in_capitals.h"
#include "documents/strings_of.h"

namespace attend {
namespace {

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
  EXPECT_EQ(strings_of(open_document(text).texts()), Strings{"a line\nb\tc   d e"});
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

TEST(OpenDocumentPieces, ANoteIsAPointInItsSentenceAndHasTextsOfItsOwn) {
  const auto note = [](const std::string& text) {
    return "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>" + text +
           "</text:p></text:note-body></text:note>";
  };
  const std::string text = "a dog" + note("the note") + " sleeps.";
  EXPECT_EQ(strings_of(open_document(text).texts()), (Strings{"a dog sleeps.", "the note"}));
  EXPECT_EQ(open_document_in_capitals(text), "A DOG" + note("THE NOTE") + " SLEEPS.");
  EXPECT_EQ(open_document_in_capitals(note("alone")), note("ALONE"));
  EXPECT_EQ(open_document_in_capitals("<text:tab/>" + note("b") + note("c")),
            "<text:tab/>" + note("B") + note("C"));
}

TEST(OpenDocumentPieces, NotesWithinOneAnotherAreInsetsUpToALimit) {
  std::string text = "x";
  for (int i = 0; i < 6; ++i) text = "a<text:note><text:p>" + text + "</text:p></text:note> b";
  const MarkupDocument document = open_document(text);
  EXPECT_EQ(strings_of(document.texts()),
            (Strings{"a b", "a b", "a b", "a b", "a", "a", "x", "b", "b"}));
  EXPECT_EQ(document.count_texts(), 9u);
  EXPECT_EQ(checked_capitals(document).find(">a"), std::string::npos);
}

TEST(OpenDocumentPieces, CommentsDeletedTextAndPlaceholdersStay) {
  const std::string comment =
      "<office:annotation><dc:creator>ann</dc:creator><text:p>why?</text:p></office:annotation>";
  EXPECT_EQ(open_document_in_capitals("a" + comment + " dog"), "A" + comment + " DOG");
  for (const std::string kept :
       {"<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>",
        "<draw:frame presentation:placeholder=\"true\"><text:p>title</text:p></draw:frame>"})
    EXPECT_TRUE(open_document_part("<office:text>" + kept + "</office:text>").texts().empty());
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
