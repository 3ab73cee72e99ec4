#include "attend/documents/markup_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace attend {
namespace {

std::vector<MarkupPiece> pieces_of(std::string_view markup) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup);
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
