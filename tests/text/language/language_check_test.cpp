#include "attend/text/language/language_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "attend/core/files/lines.h"
#include "attend/error.h"
#include "attend/text/language/language_guess.h"
#include "core/files.h"

namespace attend {
namespace {

// The default of `attend filter`.
constexpr double kOdds = 1000;

bool passes(const std::string& language, std::string_view text, double odds = kOdds) {
  return LanguageCheck(language, odds, "src-lang").passes(text);
}

TEST(LanguageCheck, DropsSentencesInOtherLanguages) {
  const std::string en = "The old dog is asleep in the garden.";
  const std::string de = "Der alte Hund schläft in dem Garten und die Katze nicht.";
  const std::string fr = "Le vieux chien dort dans le jardin avec les chats.";
  EXPECT_TRUE(passes("en", en));
  EXPECT_FALSE(passes("en", de));
  EXPECT_FALSE(passes("en", fr));
  EXPECT_TRUE(passes("de", de));
  EXPECT_FALSE(passes("de", en));
  EXPECT_TRUE(passes("fr", fr));
  EXPECT_FALSE(passes("fr", de));
}

TEST(LanguageCheck, DropsOtherScripts) {
  EXPECT_FALSE(passes("en", "Собака спит."));
  EXPECT_FALSE(passes("ru", "The dog."));
  EXPECT_FALSE(passes("en", "犬"));
  EXPECT_FALSE(passes("de", "ძაღლი"));
  EXPECT_FALSE(passes("de", "ᏣᎳᎩ"));  // Cherokee, which is not among the known languages
  EXPECT_TRUE(passes("en", "Собака is a dog, one of many words of a long text."));
}

TEST(LanguageCheck, TellsLanguagesOfOneScriptWithoutSpacesApart) {
  EXPECT_TRUE(passes("ja", "犬は庭で寝ています。"));
  EXPECT_TRUE(passes("ja", "東京都"));  // without kana it may be Chinese, too
  EXPECT_FALSE(passes("zh", "犬は庭で寝ています。"));
  EXPECT_TRUE(passes("zh", "狗在花园里睡觉。"));
  EXPECT_TRUE(passes("zh", "狗在花園裡睡覺。"));
}

TEST(LanguageCheck, PassesTextWithLittleEvidence) {
  for (const char* text : {"Berlin", "12 + 3", "", "a dog", "OK!", "iPhone 6S"}) {
    EXPECT_TRUE(passes("en", text)) << text;
    EXPECT_TRUE(passes("de", text)) << text;
  }
}

TEST(LanguageCheck, TakesTheOddsAsTheLeastOfAnotherLanguage) {
  const std::string text = "Das ist";
  const auto confidence = [&](const std::string& language) {
    const auto all = guess_language(text);
    return std::find_if(all.begin(), all.end(),
                        [&](const auto& guess) { return guess.language == language; })
        ->confidence;
  };
  ASSERT_EQ(guess_language(text).front().language, "de");
  const double odds = confidence("de") / confidence("en");
  EXPECT_FALSE(passes("en", text, 0.999 * odds));
  EXPECT_TRUE(passes("en", text, 1.001 * odds));
}

TEST(LanguageCheck, TakesTheNamesThatModelsGive) {
  EXPECT_TRUE(passes("deu_Latn", "Der Hund und die Katze"));
  EXPECT_FALSE(passes("en_XX", "Der Hund und die Katze"));
}

TEST(LanguageCheck, RefusesAnUnknownLanguageByItsOption) {
  const std::string message = message_of<ConfigError>([] { LanguageCheck("tlh", 3, "tgt-lang"); });
  EXPECT_TRUE(contains(message, "tgt_lang: expected a language")) << message;
  EXPECT_TRUE(contains(message, "cs, cy, da, de, el, en, ")) << message;
  EXPECT_TRUE(contains(message, "'tlh'")) << message;
}

// Of real sentences, few are lost in their own language, and few stay in another one.
TEST(LanguageCheck, TellsRealSentencesApart) {
  const auto file = real_data("newstest/newstest2013.en");
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no newstest";
  for (const std::string language : {"en", "de"}) {
    const std::vector<std::string> lines =
        read_lines(real_data("newstest/newstest2013." + language).string());
    const auto share_passed = [&](const std::string& as) {
      const LanguageCheck check(as, kOdds, "src-lang");
      const auto passed = std::count_if(
          lines.begin(), lines.end(), [&](const std::string& line) { return check.passes(line); });
      return static_cast<double>(passed) / static_cast<double>(lines.size());
    };
    EXPECT_GT(share_passed(language), 0.99) << language;
    EXPECT_LT(share_passed(language == "en" ? "de" : "en"), 0.1) << language;
  }
}

}  // namespace
}  // namespace attend
