#include "attend/documents/markup/markup_document.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/core/too_long.h"
#include "attend/documents/markup/html_characters.h"
#include "attend/documents/markup/xml.h"
#include "documents/in_capitals.h"

namespace attend {
namespace {

// A translator of a few words that knows how they are aligned.
TranslatedText translated(const MarkedText& block) {
  struct Case {
    std::string text, translation;
    std::vector<std::pair<int, int>> alignment;
  };
  static const std::vector<Case> cases{
      {"The old dog sleeps.", "Der alte Hund schläft.", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}},
      {"He has seen a dog.",
       "Er hat einen Hund gesehen.",
       {{0, 0}, {1, 1}, {3, 2}, {4, 3}, {2, 4}}},
      {"a < b & c", "ä < b & c", {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}}},
  };
  TranslatedText result{block.text, find_sentences(block.text, "en"), {}};
  for (const TextSpan span : result.sentences) {
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const Case& one) {
      return one.text == span.of(block.text);
    });
    TranslationCandidate candidate;
    candidate.text = found == cases.end() ? std::string(span.of(block.text)) : found->translation;
    if (found != cases.end()) candidate.alignment = found->alignment;
    result.translations.push_back({{candidate}, {}});
  }
  return result;
}

std::string translate(const std::string& html) {
  const MarkupDocument document = MarkupDocument::html(html);
  std::vector<TranslatedText> blocks;
  for (const MarkedText& block : document.blocks()) blocks.push_back(translated(block));
  return document.translation(blocks, 0);
}

TEST(MarkupDocument, TagsStayWithTheirWords) {
  EXPECT_EQ(translate("<p>The <b>old</b> dog sleeps.</p>"), "<p>Der <b>alte</b> Hund schläft.</p>");
  EXPECT_EQ(translate("He has <i>seen</i> <a href=\"x>y\">a dog</a>."),
            "Er hat <a href=\"x>y\">einen Hund</a> <i>gesehen</i>.");
  EXPECT_EQ(translate("<b>He has <i>seen</i></b> a dog."),
            "Er hat einen Hund <b><i>gesehen</i></b>.");
}

TEST(MarkupDocument, ElementsGoOnOverSentences) {
  EXPECT_EQ(translate("<b>The old dog sleeps. He has seen a dog.</b> "),
            "<b>Der alte Hund schläft. Er hat einen Hund gesehen.</b> ");
}

TEST(MarkupDocument, PointsStayBeforeTheirWord) {
  EXPECT_EQ(translate("The old <img src=x>dog sleeps."), "Der alte <img src=x>Hund schläft.");
  EXPECT_EQ(translate("The old dog sleeps.<wbr>"), "Der alte Hund schläft.<wbr>");
}

TEST(MarkupDocument, WhatIsNotTextStaysAsItIs) {
  for (const char* html :
       {"<!doctype html><!-- The old dog sleeps. --><script>if (a < b) '</b>';</script>",
        "<style>p{}</style><pre>The old dog sleeps.</pre><br/>",
        "<p translate=\"no\">The old <p>dog</p> sleeps.</p>",
        "<span class=notranslate>The old dog sleeps.</span>", "<p", "a <b", "", "&nbsp;",
        "<textarea>The old dog sleeps.</textarea>",
        "<b translate=no>The<br>old <bdi>dog</bdi> sleeps.</b>",
        "<i translate=no>The <ins>old</ins> dog<img src=x> sleeps.</i>"})
    EXPECT_EQ(translate(html), html);
  EXPECT_EQ(translate("<p translate=no>dog<param></p><p>The old dog sleeps.</p>"),
            "<p translate=no>dog<param></p><p>Der alte Hund schläft.</p>");
}

TEST(MarkupDocument, EscapesAreReadAndWritten) {
  EXPECT_EQ(translate("a &lt; b &amp; c"), "ä &lt; b &amp; c");
  EXPECT_EQ(MarkupDocument::html("f&uuml;r&#33;&#x21; &unknown; &").blocks().front().text,
            "für!! &unknown; &");
  EXPECT_EQ(translate("x &unknown; &amp;amp; y"), "x &amp;unknown; &amp;amp; y");
  EXPECT_EQ(escaped_markup("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
}

TEST(MarkupDocument, LineBreaksOfTheMarkupAreSpaces) {
  EXPECT_EQ(translate("<p>The old\ndog\tsleeps.</p>"), "<p>Der alte Hund schläft.</p>");
}

TEST(MarkupDocument, NumbersOfNotesAreNotTranslated) {
  EXPECT_EQ(translate("The old dog sleeps.<sup><a href=#1>[1]</a></sup>"),
            "Der alte Hund schläft.<sup><a href=#1>[1]</a></sup>");
  EXPECT_EQ(translate("The old<sup>2</sup> dog sleeps."), "Der alte<sup>2</sup> Hund schläft.");
  EXPECT_EQ(MarkupDocument::html("H<sub>2</sub>O").blocks()[0].text, "H2O");
  EXPECT_EQ(MarkupDocument::html("1<sup>st</sup> of").blocks()[0].text, "1st of");
}

TEST(MarkupDocument, ElementsWithoutTextKeepTheirContentAndTheirPlace) {
  EXPECT_EQ(translate("The old <a href=x><img src=y></a> dog sleeps."),
            "Der alte <a href=x><img src=y></a> Hund schläft.");
  EXPECT_EQ(translate("The <a><code>x</code></a> old dog sleeps."),
            "Der <a><code>x</code></a> alte Hund schläft.");
}

TEST(MarkupDocument, BadlyNestedTagsAreAllKept) {
  for (const char* html : {"<b>x <i>y</b> z</i>", "x</b> y", "<b>x", "<b><p>x</p></b>",
                           "</i></i><b>x</b>", "<i>x <b>y</i>"}) {
    const std::string out = translate(html);
    EXPECT_EQ(out, html);
  }
}

TEST(MarkupDocument, ManyTagsTakeLinearTime) {
  std::string many, deep;
  for (int i = 0; i < 50000; ++i) many += "<b>x</i> ";
  for (int i = 0; i < 50000; ++i) deep += "<b>x ";
  for (int i = 0; i < 50000; ++i) deep += "</b>";
  EXPECT_EQ(translate(many).size(), many.size());
  EXPECT_EQ(translate(deep).size(), deep.size());
  std::string quoted;
  for (int i = 0; i < 300'000; ++i) quoted += "<a '>'";
  EXPECT_EQ(translate(quoted), quoted) << "no quoted attribute ends";
}

TEST(MarkupDocument, OfTooManyPiecesIsRefused) {
  std::string tags;
  while (tags.size() < (4 << 20)) tags += "<b>";
  EXPECT_THROW(MarkupDocument::html(tags), TooLongError);
  EXPECT_GT(MarkupDocument::html("<p>a <b>bold</b> word</p>").bytes(), 20u);
}

TEST(Xhtml, IsReadAsXml) {
  const auto capitals = [](const std::string& text) {
    const MarkupDocument document = MarkupDocument::xhtml(text);
    const std::string out = document.translation(in_capitals(document.texts()).texts, 0);
    require_well_formed(out, "the translation");
    return out;
  };
  EXPECT_EQ(capitals("<p>a<br></br>b<i/> c<title/><x>d</x></p>"),
            "<p>A<br></br>B<i/> C<title/><x>D</x></p>");
  EXPECT_EQ(capitals("<p><![CDATA[a < b]]> c</p>"), "<p>A &lt; B C</p>");
  for (const std::string kept :
       {"<script>no<![CDATA[</script>]]></script>", "<m:math><m:mi>x</m:mi></m:math>",
        "<p translate=\"no\">a<p>b</p>c</p>"})
    EXPECT_EQ(capitals("<d>" + kept + "yes</d>"), "<d>" + kept + "YES</d>");
}

TEST(Xml, ElementsAreBlocksUnlessTextIsBesideThem) {
  const auto capitals = [](const std::string& text) {
    const MarkupDocument document = MarkupDocument::xml(text);
    std::vector<std::string> texts;
    for (const SourceText& one : document.texts()) texts.push_back(one.text);
    return std::pair(texts, document.translation(in_capitals(document.texts()).texts, 0));
  };
  const auto [texts, out] = capitals("<d><p>a <x/>b</p>\n<p>c<i>d</i></p><!-- e --></d>");
  EXPECT_EQ(texts, (std::vector<std::string>{"a b", "cd"}));
  EXPECT_EQ(out, "<d><p>A <x/>B</p>\n<p>C<i>D</i></p><!-- e --></d>");
  EXPECT_EQ(capitals("see <b>this</b> &amp; that").second, "SEE <b>THIS</b> &amp; THAT");
  EXPECT_EQ(capitals("<?xml version=\"1.0\"?><p>a</p>").second, "<?xml version=\"1.0\"?><p>A</p>");
  EXPECT_EQ(capitals("").second, "");
  for (const char* broken : {"a <b> c", "</x>a<x>", "a & b", "a < b", "<p>a</q>"})
    EXPECT_THROW(MarkupDocument::xml(broken), DataError) << broken;
}

TEST(Html, PointsSideBySideKeepTheSpacesBetweenThem) {
  for (const std::string page :
       {"<p>THE <code>a</code> <code>b</code> FILE", "<p>THE <code>a</code> <code>b</code>",
        "<p>THE <code>a</code><code>b</code> FILE", "<p><code>a</code> <code>b</code> FILE",
        "<p>A <code>a</code> <i>[B]</i>", "<p>(<code>a</code>-FILES", "<p>SEE (<code>a</code>'S)."})
    EXPECT_EQ(file_in_capitals("a.html", page), page);
}

}  // namespace
}  // namespace attend
