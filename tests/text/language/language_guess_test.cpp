#include "attend/text/language/language_guess.h"

#include <gtest/gtest.h>

namespace attend {
namespace {

using Languages = std::vector<std::string>;

const Languages kAll{"en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "fi", "pl", "cs", "hu",
                     "tr", "ru", "uk", "bg", "el", "ar", "fa", "he", "hi", "th", "ko", "ja", "zh"};

std::string first(std::string_view text, const Languages& candidates = kAll) {
  return guess_language(text, candidates).front().language;
}

TEST(LanguageGuess, KnowsSentences) {
  EXPECT_EQ(first("The old dog is asleep in the garden."), "en");
  EXPECT_EQ(first("Der alte Hund schläft in dem Garten und die Katze nicht."), "de");
  EXPECT_EQ(first("Le vieux chien dort dans le jardin avec les chats."), "fr");
  EXPECT_EQ(first("El perro duerme en la casa y los gatos no."), "es");
  EXPECT_EQ(first("Il cane dorme nella casa e non si sveglia."), "it");
  EXPECT_EQ(first("O cão dorme na casa e os gatos não."), "pt");
  EXPECT_EQ(first("De oude hond slaapt in het huis van een vriend."), "nl");
  EXPECT_EQ(first("Pies śpi w ogrodzie, ale kot się nie boi."), "pl");
  EXPECT_EQ(first("Собака спит в саду, и это не его дом."), "ru");
  EXPECT_EQ(first("Собака спить у саду, і це не його дім."), "uk");
  EXPECT_EQ(first("Ο σκύλος κοιμάται."), "el");
  EXPECT_EQ(first("犬は庭で寝ています。"), "ja");
  EXPECT_EQ(first("狗在花园里睡觉。"), "zh");
  EXPECT_EQ(first("개가 정원에서 잔다."), "ko");
  EXPECT_EQ(first("سگ در باغ است و گربه نه"), "fa");
}

TEST(LanguageGuess, ReadsTheNamesThatModelsGive) {
  EXPECT_EQ(first("Der Hund und die Katze", {"eng_Latn", "deu_Latn"}), "deu_Latn");
  EXPECT_EQ(first("Der Hund und die Katze", {"en_XX", "de_DE"}), "de_DE");
}

TEST(LanguageGuess, IsSureOnlyOfWhatItHasSeen) {
  const auto sure =
      guess_language("Der Hund und die Katze sind in dem Haus.", Languages{"en", "de"});
  EXPECT_GT(sure[0].confidence, 0.8);
  EXPECT_LT(sure[1].confidence, 0.2);
  for (const char* unknown : {"", "12 + 3", "\xff\xfe", "xyzzy"})
    EXPECT_EQ(guess_language(unknown, Languages{"en", "de"}).front().confidence, 0) << unknown;
  EXPECT_EQ(guess_language("the dog", Languages{"src"}).front().confidence, 0);
  EXPECT_TRUE(guess_language("the dog", {}).empty());
}

TEST(LanguageGuess, ReadsWhatPeopleWriteAlone) {
  for (const auto& [text, language] :
       std::vector<std::pair<const char*, const char*>>{{"Hello", "en"},
                                                        {"Good morning!", "en"},
                                                        {"Guten Morgen", "de"},
                                                        {"Danke!", "de"},
                                                        {"Bonjour", "fr"},
                                                        {"Merci", "fr"},
                                                        {"¡Hola!", "es"},
                                                        {"Grazie", "it"},
                                                        {"Olá", "pt"},
                                                        {"Привет", "ru"},
                                                        {"Привіт", "uk"},
                                                        {"Merhaba", "tr"},
                                                        {"Dzień dobry", "pl"}}) {
    EXPECT_EQ(first(text), language) << text;
  }
}

TEST(LanguageGuess, PrefersTheScriptOfTheTextWhereItKnowsNothingElse) {
  EXPECT_EQ(first("Зызыка", {"en", "ru"}), "ru");
  EXPECT_EQ(first("xyzzy", {"ru", "en"}), "en");
}

TEST(LanguageGuess, KnowsOtherNamesOfALanguage) {
  EXPECT_EQ(first("Hunden og katten er ikke i huset som jeg har", {"en", "no"}), "no");
  EXPECT_EQ(first("狗在花园里睡觉。", {"en", "zh-Hans"}), "zh-Hans");
  EXPECT_EQ(first("O cão dorme na casa e os gatos não.", {"en", "pb"}), "pb");
}

TEST(LanguageGuess, KeepsTheOrderOfEquallyLikelyOnes) {
  EXPECT_EQ(first("xyzzy", {"de", "en"}), "de");
}

}  // namespace
}  // namespace attend
