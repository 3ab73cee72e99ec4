#include "attend/documents/markup/markup_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace attend {
namespace {

std::vector<MarkupPiece> pieces_of(std::string_view markup,
                                   MarkupLanguage language = MarkupLanguage::html) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup, language);
  for (MarkupPiece piece; reader.next(piece);) pieces.push_back(piece);
  return pieces;
}

std::vector<std::string> raw_pieces(std::string_view markup) {
  std::vector<std::string> raw;
  for (const MarkupPiece& piece : pieces_of(markup)) raw.emplace_back(piece.raw);
  return raw;
}

using Strings = std::vector<std::string>;

TEST(MarkupReader, SeparatesTextsTagsAndComments) {
  EXPECT_EQ(raw_pieces("a<B class=x>b</B><!-- <p> --> c<br>"),
            (Strings{"a", "<B class=x>", "b", "</B>", "<!-- <p> -->", " c", "<br>"}));
  const auto pieces = pieces_of("<B>x</B><br><x/>");
  EXPECT_EQ(pieces[0].name, "b");
  EXPECT_FALSE(pieces[0].closes || pieces[0].closes_self);
  EXPECT_TRUE(pieces[1].is_text);
  EXPECT_TRUE(pieces[2].closes);
  EXPECT_TRUE(pieces[3].closes_self) << "an element without content";
  EXPECT_TRUE(pieces[4].closes_self);
}

TEST(MarkupReader, TakesALessThanSignForText) {
  EXPECT_EQ(raw_pieces("1 < 2 <3 <"), Strings{"1 < 2 <3 <"});
}

TEST(MarkupReader, EndsATagBehindItsQuotes) {
  EXPECT_EQ(raw_pieces("<a title=\"x > y\" b='>'>z"), (Strings{"<a title=\"x > y\" b='>'>", "z"}));
  EXPECT_EQ(raw_pieces("<a title=\"x>y"), (Strings{"<a title=\"x>", "y"}))
      << "without a last quote";
}

TEST(MarkupReader, TakesWhatNobodyTranslatesForOnePiece) {
  for (const char* whole :
       {"<script>if (a < b) '</b>';</script>", "<svg><svg/><svg>a</svg></svg>",
        "<div translate=\"NO\"><div>a</div></div>", "<p class=notranslate>a</p>", "<pre>a"}) {
    const auto pieces = pieces_of(std::string(whole));
    ASSERT_EQ(pieces.size(), 1u) << whole;
    EXPECT_TRUE(pieces[0].is_opaque && pieces[0].closes_self) << whole;
  }
}

TEST(MarkupReader, ReadsQuotesOnlyWhereAValueBegins) {
  EXPECT_EQ(raw_pieces("<p title=Bob's>z</p>"), (Strings{"<p title=Bob's>", "z", "</p>"}));
  EXPECT_EQ(raw_pieces("<p 'x>z"), (Strings{"<p 'x>", "z"}));
  EXPECT_EQ(raw_pieces("<p a = 'x>y' b>z"), (Strings{"<p a = 'x>y' b>", "z"}));
  EXPECT_EQ(raw_pieces("<code>a < b 'c</code>d"), (Strings{"<code>a < b 'c</code>", "d"}));
}

TEST(MarkupReader, LooksForTranslateAmongTheAttributesOnly) {
  for (const char* tag : {"<a href=\"/notranslate/x\">", "<p data-x=\"translate=no\">",
                          "<p translate=yes>", "<p class=\"no-notranslate\">", "<p translate>"})
    EXPECT_FALSE(pieces_of(std::string(tag))[0].is_opaque) << tag;
  for (const char* tag : {"<p translate=no>", "<p id=x TRANSLATE = 'No'>",
                          "<p class=\"a\tnotranslate b\">", "<p/translate=no>"})
    EXPECT_TRUE(pieces_of(std::string(tag))[0].is_opaque) << tag;
}

TEST(MarkupReader, EndsElementsWithoutAnEndTagWhereBrowsersDo) {
  const Strings paragraphs{"<p translate=no>a <b>b", "<p>", "c"};
  EXPECT_EQ(raw_pieces("<p translate=no>a <b>b<p>c"), paragraphs);
  EXPECT_EQ(raw_pieces("<ul><li translate=no>a<ul><li>b</ul><li>c</ul>"),
            (Strings{"<ul>", "<li translate=no>a<ul><li>b</ul>", "<li>", "c", "</ul>"}));
  EXPECT_EQ(raw_pieces("<div><p translate=no>a</div>b"),
            (Strings{"<div>", "<p translate=no>a", "</div>", "b"}));
  EXPECT_EQ(raw_pieces("<tr><td translate=no>a<td>b<tr><td>c"),
            (Strings{"<tr>", "<td translate=no>a", "<td>", "b", "<tr>", "<td>", "c"}));
  EXPECT_EQ(raw_pieces("<p translate=no>a</div>b"), (Strings{"<p translate=no>a</div>b"}))
      << "no <div> is open";
  EXPECT_EQ(raw_pieces("<div translate=no><p>a<p>b</div>c"),
            (Strings{"<div translate=no><p>a<p>b</div>", "c"}));
}

TEST(MarkupReader, TakesTagsInATitleForText) {
  EXPECT_EQ(raw_pieces("<title>a <b> &amp;</title><p>"),
            (Strings{"<title>", "a <b> &amp;", "</title>", "<p>"}));
}

TEST(MarkupReader, EndsCommentsWhereBrowsersDo) {
  EXPECT_EQ(raw_pieces("<!-->a<!--->b<!-- > -->c"),
            (Strings{"<!-->", "a", "<!--->", "b", "<!-- > -->", "c"}));
}

TEST(MarkupReader, TakesLiteralTextOfXml) {
  const auto pieces = pieces_of("<t>a<![CDATA[b < &amp; ]]>c</t>", MarkupLanguage::xml);
  ASSERT_EQ(pieces.size(), 5u);
  EXPECT_TRUE(pieces[2].is_text);
  EXPECT_EQ(pieces[2].text(), "b < &amp; ");
}

TEST(MarkupReader, GivesTheMarkupByteForByte) {
  for (const std::string markup :
       {"<", "<a", "a<!--", "</", "\xff<\xff>", "<a b='c", "<script></"}) {
    std::string all;
    for (const std::string& raw : raw_pieces(markup)) all += raw;
    EXPECT_EQ(all, markup);
  }
}

}  // namespace
}  // namespace attend
