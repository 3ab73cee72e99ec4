#include "attend/data/terms/word_forms.h"

#include <gtest/gtest.h>

#include "data/terms/nouns.h"

namespace attend {
namespace {

using Strings = std::vector<std::string>;

// The two sides of the text, and the forms of each.
struct FormsOfNouns {
  explicit FormsOfNouns(const ParallelText& text) : english_side(text.src), german_side(text.tgt) {}
  SideWords english_side, german_side;
  WordForms english{english_side, german_side}, german{german_side, english_side};
};

class WordFormsOfNouns : public testing::Test {
 protected:
  WordForms::Forms english(const std::string& term, const std::string& translation) const {
    return forms_.english.of(term, Strings{translation});
  }
  WordForms::Forms german(const std::string& term, const std::string& translation) const {
    return forms_.german.of(term, Strings{translation});
  }
  FormsOfNouns forms_{text_of_nouns()};
};

TEST_F(WordFormsOfNouns, AreWordsWithTheSameTranslations) {
  EXPECT_EQ(english("dog", "Hund").seen, Strings{"dogs"});
  EXPECT_EQ(english("dogs", "Hunde").seen, Strings{"dog"});
  EXPECT_EQ(german("Hund", "dog").seen, Strings{"Hunde"});
  EXPECT_EQ(german("Buch", "book").seen, Strings{"B\xc3\xbc"
                                                 "cher"})
      << "also with other marks";
  EXPECT_EQ(english("dog", "K\xc3\xb6ter").seen, Strings{"dogs"}) << "of a translation that is new";
}

TEST_F(WordFormsOfNouns, AreNotJustWordsThatBeginAlike) {
  EXPECT_EQ(english("plan", "Vorhaben").seen, Strings{"plans"});
  EXPECT_EQ(english("planet", "Himmelsk\xc3\xb6rper").seen, Strings{"planets"});
  EXPECT_EQ(english("Dog", "Hund").seen, Strings{}) << "a name";
}

TEST_F(WordFormsOfNouns, ThatTheTextLacksAreMadeAsThoseOfOthers) {
  EXPECT_EQ(english("frog", "Frosch").seen, Strings{});
  EXPECT_EQ(english("frog", "Frosch").unsure, Strings{"frogs"});
  EXPECT_EQ(english("dog", "Hund").unsure, Strings{}) << "the text has it";
  EXPECT_EQ(german("Frosch", "frog").unsure, Strings{}) << "fewer than half end with e";
}

TEST_F(WordFormsOfNouns, AreFoundOfSeveralWords) {
  EXPECT_EQ(german("altes Boot", "old boat").seen, Strings{});
  EXPECT_EQ(english("old boat", "altes Boot").unsure, Strings{"old boats"});
  EXPECT_EQ(english("new frog", "Frosch").unsure, Strings{"new frogs"});
  ParallelText text = text_of_nouns();
  for (const char* const place : {"here", "there"}) {
    text.src.push_back(std::string("The old boats are ") + place);
    text.tgt.push_back("Die alten Boote, alten, Boote.");
  }
  const FormsOfNouns more(text);
  EXPECT_EQ(more.english.of("old boat", Strings{"altes Boot"}).seen, Strings{"old boats"});
}

TEST_F(WordFormsOfNouns, AreNoneOfWhatIsNoWord) {
  for (const char* const term : {"", "C++", "dog, cat", "a  dog", " dog", "ox", "\xe7\x8a\xac"}) {
    const WordForms::Forms forms = english(term, "Hund");
    EXPECT_EQ(forms.seen, Strings{}) << term;
    EXPECT_EQ(forms.unsure, Strings{}) << term;
  }
}

TEST(WordForms, AreNoneOfAnEmptyText) {
  const FormsOfNouns forms({});
  EXPECT_EQ(forms.english.of("dog", Strings{"Hund"}).unsure, Strings{});
}

}  // namespace
}  // namespace attend
