#include "attend/text/language/language_evidence.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/language/language_tag.h"

namespace attend::detail {
namespace {

struct ScriptRange {
  char32_t first, last;
  Script script;
};

constexpr std::array<ScriptRange, 17> kScripts{{{0x41, 0x24f, Script::latin},
                                                {0x370, 0x3ff, Script::greek},
                                                {0x400, 0x52f, Script::cyrillic},
                                                {0x590, 0x5ff, Script::hebrew},
                                                {0x600, 0x6ff, Script::arabic},
                                                {0x750, 0x77f, Script::arabic},
                                                {0x900, 0x97f, Script::devanagari},
                                                {0xe00, 0xe7f, Script::thai},
                                                {0x1100, 0x11ff, Script::hangul},
                                                {0x1e00, 0x1eff, Script::latin},
                                                {0x1f00, 0x1fff, Script::greek},
                                                {0x3040, 0x30ff, Script::kana},
                                                {0x3400, 0x4dbf, Script::han},
                                                {0x4e00, 0x9fff, Script::han},
                                                {0xac00, 0xd7af, Script::hangul},
                                                {0xf900, 0xfaff, Script::han},
                                                {0xff66, 0xff9f, Script::kana}}};

struct Language {
  std::string_view code, long_code;  // ISO 639-1 and 639-3
  Script script;
  std::string_view words;       // the most frequent ones, with spaces around
  std::u32string_view letters;  // that few other languages of the script have
};

constexpr std::array<Language, kLanguageCount> kLanguages{{
    {"en", "eng", Script::latin,
     " the of and to in is that it was for on with as his they be at have this from or had by not "
     "but what all were when your can there an which he she you are we has its a who into out up "
     "some while their her him them our my no if so than then these will would ",
     U""},
    {"de", "deu", Script::latin,
     " der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an "
     "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem ich so nur aber "
     "mehr oder bis durch über vor haben wurde war waren kann sein ihre ihr wir was wenn zum "
     "zur alle alles kein keine diese dieser dieses mich mir uns einen ",
     U"ßäöü"},
    {"fr", "fra", Script::latin,
     " le la les de des et à un une est en que qui dans pour pas sur au avec il ce par plus ne se "
     "du son elle nous vous cette sont mais ou l d je aux ces ses leur ont être été aussi "
     "comme tout très c qu ",
     U"àâçèéêëîïôœùû"},
    {"es", "spa", Script::latin,
     " el la los las de que y en un una es por con no para se del al lo como más su pero sus le ya "
     "este sí porque esta entre cuando muy ",
     U"ñáíóú"},
    {"it", "ita", Script::latin,
     " il la di che e un una per in è non sono con del della dei le gli si da come anche lo nel "
     "alla più ma ha delle questo ",
     U"àèìòù"},
    {"pt", "por", Script::latin,
     " o a os as de que e do da em um uma para com não por se na no mais dos das ao foi como ele "
     "seu sua ou ser ",
     U"ãõçáéêó"},
    {"nl", "nld", Script::latin,
     " de het een van en in is dat op te zijn voor niet met die aan er om ook hij als bij maar "
     "wordt naar door ",
     U""},
    {"sv", "swe", Script::latin,
     " och i att det som en på är av för med den till inte han ett om de har jag var men sig ",
     U"åäö"},
    {"da", "dan", Script::latin,
     " og i at det er en til på som med for af den de ikke der et har jeg var men han ", U"åæø"},
    {"nb", "nob", Script::latin,
     " og i er det som en på til av for med at ikke den har de et jeg var men han fra ", U"åæø"},
    {"fi", "fin", Script::latin,
     " ja on ei se että oli ovat mutta hän kun niin kuin myös joka tai ole mitä sen ", U"äö"},
    {"pl", "pol", Script::latin,
     " i w nie na się z do że jest to jak po co ale o za od przez był tym tak ", U"ąćęłńśźż"},
    {"cs", "ces", Script::latin, " a v na se je že to s z do i pro ne byl ale jako o by k jsem po ",
     U"ěščřžýůďťň"},
    {"sk", "slk", Script::latin, " a v na sa je že to s z do i pre nie bol ale ako o by k som po ",
     U"ľĺŕščťžýôäď"},
    {"ro", "ron", Script::latin,
     " și de în la a un o cu nu pe care este din mai să ce au fost sau dar ", U"ăâîșțşţ"},
    {"hu", "hun", Script::latin, " a az és hogy nem egy is meg de van volt ez csak már ha mint el ",
     U"őűáéíóöü"},
    {"tr", "tur", Script::latin,
     " ve bir bu da de için ile olarak çok daha ne gibi kadar var olan o en ", U"ğışçöü"},
    {"et", "est", Script::latin, " ja on ei see et oli kui ka mis aga ta ning oma või ma ",
     U"õäöü"},
    {"ru", "rus", Script::cyrillic,
     " и в не на что с он как это по но из у за от к же вы так его все она был ", U"ыэё"},
    {"uk", "ukr", Script::cyrillic,
     " і в не на що з та у це як до за є від його він але про й які ", U"іїєґ"},
    {"bg", "bul", Script::cyrillic, " и в на да не се за от е с по като че са това той ще но при ",
     U"ъ"},
    {"el", "ell", Script::greek, "", U""},
    {"ar", "arb", Script::arabic, " في من على إلى أن عن هذا التي الذي ما لا مع كان ", U"ةىأإ"},
    {"fa", "pes", Script::arabic, " و در به از که این را با است برای آن ", U"پچژگیک"},
    {"he", "heb", Script::hebrew, "", U""},
    {"hi", "hin", Script::devanagari, "", U""},
    {"th", "tha", Script::thai, "", U""},
    {"ko", "kor", Script::hangul, "", U""},
    {"ja", "jpn", Script::kana, "", U""},
    {"zh", "zho", Script::han, "", U""},
}};

// The languages of each frequent word and of each letter, as bits.
struct Tables {
  std::unordered_map<std::string_view, std::uint32_t> words;
  std::unordered_map<char32_t, std::uint32_t> letters;

  Tables() {
    for (std::size_t i = 0; i < kLanguages.size(); ++i) {
      const std::uint32_t bit = std::uint32_t{1} << i;
      for (const std::string_view word : unicode::split(kLanguages[i].words)) words[word] |= bit;
      for (const char32_t letter : kLanguages[i].letters) letters[letter] |= bit;
    }
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

template <class Map, class Key>
std::uint32_t languages_of(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

void add_hit(std::uint32_t languages, double weight, LanguageEvidence& evidence) {
  if (languages != 0) evidence.hits.push_back({languages, weight});
}

Script script_of_letter(char32_t c) {
  const auto range = std::find_if(kScripts.begin(), kScripts.end(), [c](const ScriptRange& one) {
    return c >= one.first && c <= one.last;
  });
  return range == kScripts.end() ? Script::other : range->script;
}

}  // namespace

double LanguageEvidence::known_letters() const {
  double sum = 0;
  for (std::size_t i = 0; i < kScriptCount; ++i)
    if (i != static_cast<std::size_t>(Script::other)) sum += letters[i];
  return sum;
}

double LanguageEvidence::weight_of(std::size_t language) const {
  double sum = 0;
  for (const Hit& hit : hits)
    if ((hit.languages >> language & 1U) != 0) sum += hit.weight;
  return sum;
}

double LanguageEvidence::weight_of(std::size_t language, std::size_t without) const {
  double sum = 0;
  for (const Hit& hit : hits)
    if ((hit.languages >> language & 1U) != 0 && (hit.languages >> without & 1U) == 0)
      sum += hit.weight;
  return sum;
}

LanguageEvidence evidence_of(std::string_view text) {
  constexpr std::size_t kRead = 4096;
  LanguageEvidence evidence;
  std::string word;
  const auto end_word = [&] {
    if (word.empty()) return;
    ++evidence.words;
    add_hit(languages_of(tables().words, std::string_view(word)), 1, evidence);
    word.clear();
  };
  const std::string small = unicode::lowercase(text.substr(0, kRead));
  for (std::size_t at = 0; at < small.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(small, at);
    if (!unicode::is_letter(c) && !unicode::is_mark(c)) {
      end_word();
      continue;
    }
    word.append(small, begin, at - begin);
    if (c >= 0x80) add_hit(languages_of(tables().letters, c), 0.5, evidence);
    ++evidence.letters[static_cast<std::size_t>(script_of_letter(c))];
  }
  end_word();
  // Japanese is written with Han letters, too.
  double& kana = evidence.letters[static_cast<std::size_t>(Script::kana)];
  double& han = evidence.letters[static_cast<std::size_t>(Script::han)];
  if (kana > 0.05 * evidence.known_letters()) kana += std::exchange(han, 0);
  return evidence;
}

std::optional<std::size_t> find_language(std::string_view name) {
  const std::string code = language_tag(name).language;
  for (std::size_t i = 0; i < kLanguages.size(); ++i)
    if (kLanguages[i].code == code || kLanguages[i].long_code == code) return i;
  return std::nullopt;
}

std::string_view language_code(std::size_t language) { return kLanguages[language].code; }
Script script_of(std::size_t language) { return kLanguages[language].script; }
bool is_alone_in_script(std::size_t language) { return kLanguages[language].words.empty(); }

}  // namespace attend::detail
