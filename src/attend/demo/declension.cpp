#include "attend/demo/declension.h"

namespace attend::demo {
namespace {

// Columns: masculine, feminine, neuter, plural; rows: nominative, accusative, dative, genitive.
using Table = std::string_view[4][4];
constexpr Table kArticle = {{"der", "die", "das", "die"},
                            {"den", "die", "das", "die"},
                            {"dem", "der", "dem", "den"},
                            {"des", "der", "des", "der"}};
constexpr Table kStrong = {{"er", "e", "es", "e"},
                           {"en", "e", "es", "e"},
                           {"em", "er", "em", "en"},
                           {"es", "er", "es", "er"}};
constexpr Table kEin = {
    {"", "e", "", "e"}, {"en", "e", "", "e"}, {"em", "er", "em", "en"}, {"es", "er", "es", "er"}};
constexpr Table kAfterDer = {{"e", "e", "e", "en"},
                             {"en", "e", "e", "en"},
                             {"en", "en", "en", "en"},
                             {"en", "en", "en", "en"}};
constexpr Table kAfterEin = {{"er", "e", "es", "en"},
                             {"en", "e", "es", "en"},
                             {"en", "en", "en", "en"},
                             {"en", "en", "en", "en"}};
constexpr Table kPersonalPronouns = {{"er", "sie", "es", "sie"},
                                     {"ihn", "sie", "es", "sie"},
                                     {"ihm", "ihr", "ihm", "ihnen"},
                                     {"", "", "", ""}};

std::string_view look_up(const Table& table, Agreement a) {
  return table[static_cast<int>(a.grammatical_case)][a.plural ? 3 : static_cast<int>(a.gender)];
}

}  // namespace

std::string declined_noun(const Noun& noun, bool plural, Case grammatical_case) {
  if (plural) {
    std::string form(noun.de_plural);
    if (grammatical_case == Case::dative && form.back() != 'n' && form.back() != 's') form += 'n';
    return form;
  }
  const bool oblique = grammatical_case != Case::nominative;
  const bool ending = grammatical_case == Case::genitive || (oblique && noun.weak());
  return std::string(noun.de) + std::string(ending ? noun.genitive : "");
}

std::string_view definite_article(Agreement a) { return look_up(kArticle, a); }
std::string_view strong_ending(Agreement a) { return look_up(kStrong, a); }
std::string_view ein_ending(Agreement a) { return look_up(kEin, a); }

std::string_view adjective_ending(Before before, Agreement a) {
  if (before == Before::der_word) return look_up(kAfterDer, a);
  if (before == Before::ein_word) return look_up(kAfterEin, a);
  if (a.grammatical_case == Case::genitive && !a.plural && a.gender != Gender::feminine)
    return "en";  // kalten Wassers
  return look_up(kStrong, a);
}

std::string_view personal_pronoun(const Referent& r, Case grammatical_case) {
  if (r.person == Person::third)
    return look_up(kPersonalPronouns, {grammatical_case, r.gender, r.plural});
  if (r.plural) return grammatical_case == Case::nominative ? "wir" : "uns";
  return grammatical_case == Case::nominative   ? "ich"
         : grammatical_case == Case::accusative ? "mich"
                                                : "mir";
}

std::string_view possessive_stem(const Referent& r) {
  if (r.person == Person::first) return r.plural ? "unser" : "mein";
  return r.plural || r.gender == Gender::feminine ? "ihr" : "sein";
}

std::string_view relative_pronoun(Agreement a) {
  if (a.plural && a.grammatical_case == Case::dative) return "denen";
  return look_up(kArticle, a);
}

}  // namespace attend::demo
