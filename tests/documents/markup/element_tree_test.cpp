#include "attend/documents/markup/element_tree.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Numbers = std::vector<std::size_t>;

Numbers partners(std::string_view markup, std::size_t deepest = 100) {
  std::vector<MarkupPiece> pieces;
  MarkupReader reader(markup, MarkupLanguage::html);
  for (MarkupPiece piece; reader.next(piece);) pieces.push_back(piece);
  return partners_of(pieces, deepest);
}

TEST(ElementTree, TagsHaveTheirPartnersAndOthersThemselves) {
  EXPECT_EQ(partners("<b>x<i>y</i><br></b><!-- z -->"), (Numbers{6, 1, 4, 3, 2, 5, 0, 7}));
}

TEST(ElementTree, ElementsOfOneNameAreCounted) {
  EXPECT_EQ(partners("<b><b></b></b>"), (Numbers{3, 2, 1, 0}));
}

TEST(ElementTree, BadlyNestedAndDeepTagsHaveNone) {
  EXPECT_EQ(partners("<b><i></b></i>"), (Numbers{2, kNoPartner, 0, kNoPartner}));
  EXPECT_EQ(partners("</b><b>"), (Numbers{kNoPartner, kNoPartner}));
  EXPECT_EQ(partners("<b><i></i></b>", 1), (Numbers{3, kNoPartner, kNoPartner, 0}));
}

}  // namespace
}  // namespace attend
