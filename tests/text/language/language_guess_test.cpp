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

double confidence_in(std::string_view text, const std::string& language,
                     const Languages& candidates) {
  for (const LanguageGuess& guess : guess_language(text, candidates))
    if (guess.language == language) return guess.confidence;
  return -1;
}

TEST(LanguageGuess, IsSureOnlyOfWhatItHasSeen) {
  const auto sure =
      guess_language("Der Hund und die Katze sind in dem Haus.", Languages{"en", "de"});
  EXPECT_GT(sure[0].confidence, 0.99);
  EXPECT_LT(sure[1].confidence, 0.01);
  for (const char* unknown : {"", "12 + 3", "\xff\xfe", "?!", "😀"})
    EXPECT_EQ(guess_language(unknown, Languages{"en", "de"}).front().confidence, 0) << unknown;
  for (const char* unclear : {"xyzzy", "Berlin", "ok", "Anna"})
    EXPECT_LT(guess_language(unclear).front().confidence, 0.7) << unclear;
}

TEST(LanguageGuess, IsNeverSilentAboutLetters) {
  for (const char* text : {"Hello", "a", "ok", "xyzzy", "https://example.org", "int main() {",
                           "NASA", "Ünï", "x + y = 2"}) {
    EXPECT_GT(guess_language(text).front().confidence, 0.02) << text;
    EXPECT_GT(guess_language(text, Languages{"de", "en"}).front().confidence, 0.3) << text;
  }
  for (const char* text : {"Ω", "日", "Я"})
    EXPECT_GT(guess_language(text).front().confidence, 0.02) << text;
}

TEST(LanguageGuess, KnowsAllLanguagesWithoutCandidates) {
  const auto guesses = guess_language("Hello world, how are you?");
  EXPECT_EQ(guesses.front().language, "en");
  EXPECT_GE(guesses.size(), 60U);
  double sum = 0;
  for (std::size_t i = 0; i < guesses.size(); ++i) {
    sum += guesses[i].confidence;
    EXPECT_LE(guesses[i].confidence, guesses[i > 0 ? i - 1 : 0].confidence);
  }
  EXPECT_NEAR(sum, 1, 0.01);
}

TEST(LanguageGuess, TellsCandidatesAsIfThereWereNoOthers) {
  const Languages candidates{"en", "fr"};
  const std::string german = "Der Hund und die Katze sind in dem Haus.";
  const auto among_two = guess_language(german, candidates);
  EXPECT_NEAR(among_two[0].confidence + among_two[1].confidence, 1, 0.01);
  const auto among_all = guess_known_language(german, candidates);
  EXPECT_LT(among_all[0].confidence + among_all[1].confidence, 0.05);
  EXPECT_EQ(among_all[0].language, among_two[0].language);
}

TEST(LanguageGuess, DoesNotKnowEveryCandidate) {
  EXPECT_EQ(confidence_in("the dog", "src", {"src"}), 0);
  EXPECT_EQ(confidence_in("the dog", "tlh", {"tlh", "en"}), 0);
  EXPECT_TRUE(guess_language("the dog", Languages{}).empty());
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
    EXPECT_EQ(guess_language(text).front().language, language) << text;
  }
  EXPECT_EQ(guess_language("HELLO").front().language, "en");
  EXPECT_EQ(guess_language("GUTEN MORGEN").front().language, "de");
}

TEST(LanguageGuess, TellsCloseLanguagesApart) {
  for (const auto& [text, language] : std::vector<std::pair<const char*, const char*>>{
           {"Eg veit ikkje kva dette er.", "nn"},
           {"Jeg vet ikke hva dette er for noe.", "nb"},
           {"Jeg ved ikke hvad det her er for noget.", "da"},
           {"Nevím, co to je a kde je můj pes.", "cs"},
           {"Neviem, čo to je a kde je môj pes.", "sk"},
           {"No sé qué es esto ni dónde está mi perro.", "es"},
           {"Non sei que é isto nin onde está o meu can.", "gl"},
           {"Não sei o que é isto nem onde está o meu cão.", "pt"},
           {"No sé què és això ni on és el meu gos.", "ca"},
           {"Я не знаю, що це і де мій собака.", "uk"},
           {"Я не ведаю, што гэта і дзе мой сабака.", "be"},
           {"Не знам какво е това и къде е кучето ми.", "bg"},
           {"Не знам шта је ово и где је мој пас.", "sr"},
           {"Не знам што е ова и каде е моето куче.", "mk"},
           {"मुझे नहीं पता कि यह क्या है।", "hi"},
           {"हे काय आहे ते मला माहित नाही.", "mr"},
           {"مجھے نہیں معلوم کہ یہ کیا ہے۔", "ur"},
           {"我不知道这是什么。", "zh-Hans"},
           {"我不知道這是什麼。", "zh-Hant"}}) {
    EXPECT_EQ(guess_language(text).front().language, language) << text;
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

TEST(LanguageGuess, SharesTheConfidenceOfNamesOfOneLanguage) {
  const std::string text = "O cão dorme na casa e os gatos não.";
  const auto both = guess_language(text, Languages{"pt-BR", "en", "pt-PT"});
  EXPECT_NEAR(both[0].confidence, 0.5, 0.01);
  EXPECT_EQ(both[0].confidence, both[1].confidence);
  EXPECT_EQ(both[0].language, "pt-BR");
  // Both scripts of Chinese, if no candidate is of the other one.
  EXPECT_GT(confidence_in("我不知道這是什麼。", "zh", {"zh", "en", "ja"}), 0.9);
  EXPECT_GT(confidence_in("我不知道這是什麼。", "zt", {"zh", "zt"}), 0.9);
}

TEST(LanguageGuess, KeepsTheOrderOfEquallyLikelyOnes) {
  EXPECT_EQ(first("12", {"de", "en"}), "de");
  EXPECT_EQ(first("Der Hund", {"de_AT", "de_DE"}), "de_AT");
}

}  // namespace
}  // namespace attend
