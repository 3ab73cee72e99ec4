#include "attend/documents/markup/html_elements.h"

#include <gtest/gtest.h>

namespace attend::html {
namespace {

TEST(HtmlElements, AreKnownByTheirWholeNames) {
  EXPECT_TRUE(is_inline("b") && is_inline("strong") && is_void("br") && is_opaque("code"));
  EXPECT_FALSE(is_inline("p") || is_inline("x") || is_inline("") || is_inline("stron"));
  EXPECT_FALSE(is_void("b") || is_opaque("b") || holds_only_text("code"));
  EXPECT_TRUE(holds_only_text("title"));
}

TEST(HtmlElements, EndBeforeOthersOfTheirKind) {
  EXPECT_TRUE(may_stay_open("p") && may_stay_open("td") && !may_stay_open("div"));
  EXPECT_TRUE(ends_before("p", "p") && ends_before("p", "ul") && !ends_before("p", "b"));
  EXPECT_TRUE(ends_before("li", "li") && !ends_before("li", "ul"));
  EXPECT_TRUE(ends_before("td", "td") && ends_before("td", "tr") && ends_before("tr", "tr"));
  EXPECT_FALSE(ends_before("tr", "td") || ends_before("tbody", "tr") || ends_before("div", "p"));
}

}  // namespace
}  // namespace attend::html
