#include "attend/core/strings/unicode.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

// Letters that are several in another case, that have a case of their own in titles, and that
// depend on their neighbors. The values are Python's.
TEST(Unicode, ChangesCasesAsPython) {
  const std::string text =
      "straße ŉa ǰΐ ﬁn ﬃ ᾳ ᾀ ᾈ ẞ ǆ ǅ İı ΑΣ ΑΣ. ς ὐῷ mIxEd l'été ⅷ ⓐ "
      "ꭰ";
  EXPECT_EQ(unicode::uppercase(text),
            "STRASSE ʼNA J̌Ϊ́ FIN FFI ΑΙ ἈΙ ἈΙ ẞ Ǆ Ǆ İI ΑΣ ΑΣ. Σ Υ̓Ω͂Ι MIXED L'ÉTÉ Ⅷ Ⓐ Ꭰ");
  EXPECT_EQ(unicode::lowercase(text),
            "straße ŉa ǰΐ ﬁn ﬃ ᾳ ᾀ ᾀ ß ǆ ǆ i̇ı ας ας. ς ὐῷ mixed l'été ⅷ ⓐ "
            "ꭰ");
  EXPECT_EQ(unicode::titlecase(text),
            "Straße ʼNa J̌ΐ Fin Ffi ᾼ ᾈ ᾈ ẞ ǅ ǅ İı Ας Ας. Σ Υ̓ῷ Mixed L'Été Ⅷ Ⓐ Ꭰ");
  EXPECT_EQ(unicode::capitalized("ŉ" + text),
            "ʼNstraße ŉa ǰΐ ﬁn ﬃ ᾳ ᾀ ᾀ ß ǆ ǆ i̇ı ας ας. ς ὐῷ mixed l'été ⅷ ⓐ "
            "ꭰ");
  EXPECT_EQ(unicode::capitalized("ßa ﬁ"), "Ssa ﬁ");
  EXPECT_EQ(unicode::swapped_case(text),
            "STRASSE ʼNA J̌Ϊ́ FIN FFI ΑΙ ἈΙ ᾈ ß Ǆ ǅ i̇I ας ας. Σ Υ̓Ω͂Ι MiXeD L'ÉTÉ Ⅷ Ⓐ Ꭰ");
  EXPECT_EQ(unicode::folded_case(text),
            "strasse ʼna ǰΐ fin ffi αι ἀι ἀι ss ǆ ǆ i̇ı ασ ασ. σ ὐῶι mixed l'été ⅷ ⓐ Ꭰ");
}

TEST(Unicode, KnowsWhatPythonPrints) {
  for (const char32_t c : std::u32string(U"a é日 ½")) EXPECT_TRUE(unicode::is_printable(c));
  for (const char32_t c : std::u32string(U"\n\u00a0\u200b\u2028\u00ad\ue000\U0010ffff"))
    EXPECT_FALSE(unicode::is_printable(c)) << static_cast<unsigned>(c);
}

TEST(Unicode, StripsWhiteSpaceOfEveryKind) {
  EXPECT_EQ(unicode::strip_left("\u3000\t\u00a0 a "), "a ");
  EXPECT_EQ(unicode::strip_left(" \u2028"), "");
  EXPECT_EQ(unicode::strip_right(" a\u3000\x1c"), " a");
}

}  // namespace
}  // namespace attend
