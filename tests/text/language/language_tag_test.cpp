#include "attend/text/language/language_tag.h"

#include <gtest/gtest.h>

#include <vector>

namespace attend {
namespace {

using Names = std::vector<std::string>;

std::string match(std::string_view asked, const Names& names) {
  return matching_language(asked, names).value_or("none");
}

TEST(LanguageTag, HasTheCodeOfTwoLetters) {
  EXPECT_EQ(language_tag("deu_Latn"), (LanguageTag{"de", "latn", ""}));
  EXPECT_EQ(language_tag("de_DE"), (LanguageTag{"de", "", "de"}));
  EXPECT_EQ(language_tag("no"), language_tag("nb"));
  EXPECT_EQ(language_tag("NOB"), language_tag("nb"));
  EXPECT_EQ(language_tag("als_Latn"), (LanguageTag{"sq", "latn", ""}));
  EXPECT_EQ(language_tag("lao"), (LanguageTag{"lo", "", ""}));
  EXPECT_EQ(language_tag("tlh"), (LanguageTag{"tlh", "", ""}));
  EXPECT_EQ(language_tag(""), LanguageTag{});
}

TEST(LanguageTag, KnowsTheScriptsOfChineseAndTheBrazilOfArgos) {
  for (const char* simplified : {"zh", "zh-CN", "zh_cn", "zh-Hans", "zho_Hans", "zh-SG", "cmn"})
    EXPECT_EQ(language_tag(simplified), (LanguageTag{"zh", "hans", ""})) << simplified;
  for (const char* traditional : {"zt", "zh-TW", "zh-Hant", "zho_Hant", "zh-HK", "zh-Hant-TW"})
    EXPECT_EQ(language_tag(traditional), (LanguageTag{"zh", "hant", ""})) << traditional;
  EXPECT_EQ(language_tag("pb"), language_tag("pt-BR"));
}

TEST(MatchingLanguage, PrefersTheSameNameThenTheSameMeaning) {
  EXPECT_EQ(match("pt-BR", {"pt", "pb", "pt-BR"}), "pt-BR");
  EXPECT_EQ(match("pt-BR", {"pt", "pb"}), "pb");
  EXPECT_EQ(match("pt-BR", {"en", "pt"}), "pt");
  EXPECT_EQ(match("pt", {"pt_BR", "pt_PT"}), "pt_BR");
  EXPECT_EQ(match("no", {"en", "nb"}), "nb");
  EXPECT_EQ(match("nb", {"no"}), "no");
  EXPECT_EQ(match("zh", {"zho_Hant", "zho_Hans"}), "zho_Hans");
  EXPECT_EQ(match("zh-TW", {"zho_Hans", "zho_Hant"}), "zho_Hant");
  EXPECT_EQ(match("en-US", {"eng_Latn"}), "eng_Latn");
  EXPECT_EQ(match("EN", {"en"}), "en");
}

TEST(MatchingLanguage, TakesNoOtherLanguageAndNoOtherScript) {
  EXPECT_EQ(match("de", {"en", "nl"}), "none");
  EXPECT_EQ(match("zh-Hant", {"zh"}), "none");
  EXPECT_EQ(match("sr_Latn", {"srp_Cyrl"}), "none");
  EXPECT_EQ(match("pt-BR", {"pt-PT"}), "none");
  EXPECT_EQ(match("", {"en"}), "none");
  EXPECT_EQ(match("src", {"src"}), "src");
}

}  // namespace
}  // namespace attend
