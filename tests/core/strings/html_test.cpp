#include "attend/core/strings/html.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(EscapedHtml, WritesWhatCouldEndTextOrAnAttributeAsReferences) {
  EXPECT_EQ(escaped_html("<a title=\"it's\"> & more"),
            "&lt;a title=&quot;it&#39;s&quot;&gt; &amp; more");
  EXPECT_EQ(escaped_html("&amp;"), "&amp;amp;") << "twice, so that a page shows it as written";
  EXPECT_EQ(escaped_html(""), "");
  EXPECT_EQ(escaped_html("größer \n 你"), "größer \n 你");
}

}  // namespace
}  // namespace attend
