#include "attend/text/normalization/normalization.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using detail::normalized;
using detail::UnicodeForm;

TEST(Normalization, HasTheFormsOfUnicode) {
  const std::string text = "é e\u0301 ﬁ 각 \u1E9B\u0323";
  EXPECT_EQ(normalized(text, {UnicodeForm::nfc}), "é é ﬁ 각 \u1E9B\u0323");
  EXPECT_EQ(normalized(text, {UnicodeForm::nfkc}), "é é fi 각 \u1E69");
  EXPECT_EQ(normalized("é각", {UnicodeForm::nfd}), "e\u0301\u1100\u1161\u11A8");
  EXPECT_EQ(normalized("ﬁé", {UnicodeForm::nfkd}), "fie\u0301");
  EXPECT_EQ(normalized(text, {}), text);
}

TEST(Normalization, OrdersTheMarksOfACharacter) {
  EXPECT_EQ(normalized("a\u0301\u0327", {UnicodeForm::nfd}), "a\u0327\u0301");
  EXPECT_EQ(normalized("\u0301\u0327", {UnicodeForm::nfc}), "\u0327\u0301");
}

TEST(Normalization, FoldsCase) {
  EXPECT_EQ(normalized("STRASSE Straße ÄÖ", {UnicodeForm::nfkc, true}), "strasse strasse äö");
}

TEST(Normalization, CleansSpaces) {
  EXPECT_EQ(normalized(" \ta\u00A0\u3000b\x01\u200Bc\n", {UnicodeForm::none, false, true}),
            "a b c");
  EXPECT_EQ(normalized(" \u200B ", {UnicodeForm::none, false, true}), "");
}

TEST(Normalization, GivesUtf8ForAnyBytes) {
  EXPECT_EQ(normalized("a\xFF", {UnicodeForm::nfc}), "a\uFFFD");
}

TEST(Normalization, NamesItsForms) {
  for (const UnicodeForm form : {UnicodeForm::none, UnicodeForm::nfc, UnicodeForm::nfd,
                                 UnicodeForm::nfkc, UnicodeForm::nfkd})
    EXPECT_EQ(detail::unicode_form(detail::name_of(form)), form);
  EXPECT_EQ(detail::unicode_form("nfx"), std::nullopt);
}

}  // namespace
}  // namespace attend
