#include "attend/inspect/compact_code.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

TEST(CompactCode, DropsIndentationCommentsAndBlankLines) {
  EXPECT_EQ(compact_lines("// why\n\n  a\n    // more\n/* a block */\nb c"), "a\nb c");
}

TEST(CompactCode, DropsWhiteSpaceOfStyles) {
  EXPECT_EQ(compact_styles("a, b {\n  color: red;\n  margin: 0 auto;\n}\n"),
            "a, b{color:red;margin:0 auto;}\n");
}

TEST(CompactCode, DropsSpacesBesidePunctuationOfScripts) {
  EXPECT_EQ(compact_script("const f = (a, b) => ({ a, ...b });\nreturn [1, -2];\n"),
            "const f=(a,b)=>({a,...b});\nreturn[1,-2];\n");
  EXPECT_EQ(compact_script("a = b + +c - -d;\n"), "a=b + +c - -d;\n");
}

TEST(CompactCode, DropsCommentsBehindCode) {
  EXPECT_EQ(compact_script("a = 1; // it's one\nb = 2;\n"), "a=1;\nb=2;\n");
  EXPECT_EQ(compact_script("a = \"http://b\";  // an address\n"), "a=\"http://b\";\n");
}

TEST(CompactCode, KeepsStrings) {
  EXPECT_EQ(compact_script("a = \"b = \\\" c, d\" + 'e = f';\n"),
            "a=\"b = \\\" c, d\" + 'e = f';\n");
}

TEST(CompactCode, KeepsTemplatesButNotTheirExpressions) {
  EXPECT_EQ(compact_script("a = `b = ${c ? `d, ${ { e: 1 }.e }` : \"f, g\"} (h) \\` = `, i = 1;\n"),
            "a=`b = ${c?`d, ${{e:1}.e}`:\"f, g\"} (h) \\` = `,i=1;\n");
}

TEST(CompactCode, KeepsRegularExpressions) {
  EXPECT_EQ(compact_script("a = b.replace(/[/\"] = , \\/ ( /g, c) / d / 2;\n"),
            "a=b.replace(/[/\"] = , \\/ ( /g,c)/ d / 2;\n");
}

}  // namespace
}  // namespace attend
