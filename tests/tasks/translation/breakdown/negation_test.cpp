#include "attend/tasks/translation/breakdown/negation.h"

#include <gtest/gtest.h>

#include <string>

#include "attend/translation_breakdown.h"

namespace attend {
namespace {

bool negates(const std::string& language, const std::string& text) {
  const auto words = NegationWords::of(language);
  EXPECT_TRUE(words) << language;
  return words && words->negate(lower_words_of_text(text));
}

TEST(NegationWords, AreThoseOfTheLanguage) {
  for (const auto& [language, text] : {std::pair{"en", "He did not come."},
                                       {"eng_Latn", "NOBODY came."},
                                       {"en", "I can't."},
                                       {"en", "Don\u2019t!"},
                                       {"de", "Er kam nicht."},
                                       {"de-AT", "Keine Ahnung"},
                                       {"fr", "Il ne vient pas."},
                                       {"fr", "Je n\u2019ai rien."},
                                       {"es", "¿Por qué no?"},
                                       {"it", "Nessun'altra"},
                                       {"pt_BR", "Não sei."},
                                       {"nl", "geen tijd"},
                                       {"sv", "inte nu"},
                                       {"da", "Jeg ved det ikke"},
                                       {"no", "aldri"},
                                       {"nb", "ikke"},
                                       {"nn", "ikkje"},
                                       {"pl", "Nie wiem"},
                                       {"ru", "Я не знаю"},
                                       {"uk", "Я не знаю"}})
    EXPECT_TRUE(negates(language, text)) << language << ": " << text;
}

TEST(NegationWords, AreWholeWords) {
  for (const auto& [language, text] : {std::pair{"en", "A notable knot, now nothingness"},
                                       {"de", "Das Nichtstun, keineswegs"},
                                       {"fr", "Un nombre, passer"},
                                       {"en", ""},
                                       {"ru", "небо"}})
    EXPECT_FALSE(negates(language, text)) << language << ": " << text;
}

TEST(NegationWords, AreNotKnownForEveryLanguage) {
  for (const char* language : {"cs", "tr", "zh", "", "xx"})
    EXPECT_FALSE(has_negation_words(language)) << language;
  EXPECT_TRUE(has_negation_words("de_DE"));
}

}  // namespace
}  // namespace attend
