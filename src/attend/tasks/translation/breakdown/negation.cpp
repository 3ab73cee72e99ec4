#include "attend/tasks/translation/breakdown/negation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "attend/text/language/language_tag.h"
#include "attend/translation_breakdown.h"

namespace attend {

// Words in small letters, with U+0027 as the apostrophe. A word may also begin or end so: "n'ai",
// "don't".
struct NegationWords::List {
  std::string_view language;
  std::vector<std::string_view> words;
  std::string_view begin = {}, end = {};
};

namespace {

// Texts have two spellings of the apostrophe, the lists one.
std::string plain_apostrophes(std::string word) {
  constexpr std::string_view kCurly = "\u2019";
  for (auto at = word.find(kCurly); at != word.npos; at = word.find(kCurly, at))
    word.replace(at, kCurly.size(), "'");
  return word;
}

}  // namespace

std::optional<NegationWords> NegationWords::of(std::string_view language) {
  static const std::vector<List> lists{
      {"da",
       {"ikke", "ej", "aldrig", "ingen", "intet", "ingenting", "nej", "hverken", "ingensteds"}},
      {"de", {"nicht",     "nichts",    "nie",         "niemals",     "niemand",   "niemanden",
              "niemandem", "niemands",  "kein",        "keine",       "keinen",    "keinem",
              "keiner",    "keines",    "keins",       "nirgends",    "nirgendwo", "weder",
              "nein",      "keinerlei", "keinesfalls", "nirgendwohin"}},
      {"en",
       {"not", "no", "never", "none", "nobody", "nothing", "nowhere", "neither", "nor", "cannot",
        "no-one"},
       {},
       "n't"},
      {"es",
       {"no", "nunca", "jamás", "nada", "nadie", "ningún", "ninguno", "ninguna", "ningunos",
        "ningunas", "ni", "tampoco"}},
      {"fr", {"ne", "pas", "jamais", "rien", "aucun", "aucune", "ni", "non", "nul", "nulle"}, "n'"},
      {"it",
       {"non", "no", "niente", "nulla", "nessuno", "nessuna", "nessun", "né", "neanche", "nemmeno",
        "neppure"},
       "nessun'"},
      {"nl", {"niet", "niets", "nooit", "niemand", "geen", "nergens", "noch", "nee", "nimmer"}},
      {"nb", {"ikke", "aldri", "ingen", "intet", "ingenting", "nei", "verken", "ikkje"}},
      {"pl",
       {"nie", "nigdy", "nikt", "nikogo", "nikomu", "nikim", "nic", "niczego", "niczym", "żaden",
        "żadna", "żadne", "żadnego", "żadnej", "żadnych", "ani", "nigdzie"}},
      {"pt",
       {"não", "nunca", "jamais", "nada", "ninguém", "nenhum", "nenhuma", "nenhuns", "nenhumas",
        "nem", "tampouco"}},
      {"ru", {"не",     "нет",     "ни",      "никогда", "никто",   "никого", "никому",
              "никем",  "ничто",   "ничего",  "ничему",  "ничем",   "нельзя", "нигде",
              "никуда", "никакой", "никакая", "никакое", "никакие", "никаких"}},
      {"sv",
       {"inte", "ej", "icke", "aldrig", "ingen", "inget", "inga", "ingenting", "nej", "varken",
        "ingenstans"}},
      {"uk",
       {"не", "ні", "немає", "нема", "ніколи", "ніхто", "нікого", "нікому", "ніщо", "нічого",
        "нічому", "ніде", "ніякий", "ніяка", "ніяке", "ніякі", "ніяких"}},
  };
  std::string code = language_tag(language).language;
  if (code == "nn") code = "nb";  // has the same words, and "ikkje"
  const auto found = std::find_if(lists.begin(), lists.end(),
                                  [&](const List& list) { return list.language == code; });
  if (found == lists.end()) return std::nullopt;
  return NegationWords(*found);
}

bool NegationWords::negate(std::span<const TextWord> words) const {
  return std::any_of(words.begin(), words.end(), [&](const TextWord& one) {
    const std::string word = plain_apostrophes(one.text);
    return std::find(list_->words.begin(), list_->words.end(), word) != list_->words.end() ||
           (!list_->begin.empty() && word.starts_with(list_->begin)) ||
           (!list_->end.empty() && word.ends_with(list_->end));
  });
}

bool has_negation_words(std::string_view language) {
  return NegationWords::of(language).has_value();
}

}  // namespace attend
