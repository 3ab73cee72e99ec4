// German declension: nouns, articles, adjective endings and pronouns by case, gender and number.
#pragma once

#include <string>
#include <string_view>

#include "attend/demo/grammar.h"

namespace attend::demo {

// The agreement features of a German word: a slot of a declension table.
struct Agreement {
  Case grammatical_case;
  Gender gender;
  bool plural;
};

// "Hund", "des Hundes", "den Hunden"; weak nouns "den Jungen".
std::string declined_noun(const Noun& noun, bool plural, Case grammatical_case);

// der, den, dem, des, die, ...
std::string_view definite_article(Agreement a);
// The ending of dieser and jeder, and of an adjective without an article.
std::string_view strong_ending(Agreement a);
// The ending of ein, kein, mein: empty in the masculine nominative and in the neuter nominative and
// accusative.
std::string_view ein_ending(Agreement a);

// The word before an adjective determines its ending.
enum class Before { der_word, ein_word, nothing };
std::string_view adjective_ending(Before before, Agreement a);

std::string_view personal_pronoun(const Referent& referent, Case grammatical_case);
// mein, unser, sein, ihr: without ending.
std::string_view possessive_stem(const Referent& referent);
// der, den, dem, denen, ...: like the article except in the dative plural.
std::string_view relative_pronoun(Agreement a);

}  // namespace attend::demo
