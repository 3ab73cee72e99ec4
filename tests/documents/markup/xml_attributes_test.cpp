#include "attend/documents/markup/xml_attributes.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(XmlAttributes, AreFoundByTheirWholeNames) {
  const std::string tag = "<x:a  state-qualifier = 'b=\"c\"' state=\"d\"\n/>";
  EXPECT_EQ(xml_attribute(tag, "state"), "d");
  EXPECT_EQ(xml_attribute(tag, "state-qualifier"), "b=\"c\"");
  EXPECT_EQ(xml_attribute(tag, "c"), std::nullopt);
  EXPECT_EQ(xml_attribute("<a>", "a"), std::nullopt);
  EXPECT_EQ(xml_attribute("<a b=\"\">", "b"), "");
}

TEST(XmlAttributes, AreChangedAddedAndRemoved) {
  EXPECT_EQ(with_xml_attribute("<a b='c' d=\"e\">", "b", "x"), "<a b='x' d=\"e\">");
  EXPECT_EQ(with_xml_attribute("<a b='c' />", "d", "x"), "<a b='c' d=\"x\" />");
  EXPECT_EQ(with_xml_attribute("<a>", "d", "x"), "<a d=\"x\">");
  EXPECT_EQ(with_xml_attribute("<a b='c' d=\"e\">", "b", std::nullopt), "<a d=\"e\">");
  EXPECT_EQ(with_xml_attribute("<a b='c'/>", "d", std::nullopt), "<a b='c'/>");
}

}  // namespace
}  // namespace attend
