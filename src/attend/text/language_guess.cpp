#include "attend/text/language_guess.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "attend/core/unicode.h"

namespace attend {
namespace {

enum class Script { latin, cyrillic, greek, arabic, hebrew, devanagari, thai, hangul, kana, han };

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

constexpr std::array<Language, 30> kLanguages{{
    {"en", "eng", Script::latin,
     " the of and to in is that it was for on with as his they be at have this from or had by not "
     "but what all were when your can there an which he she you are we has its ",
     U""},
    {"de", "deu", Script::latin,
     " der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an "
     "werden aus er hat dass sie nach wird bei einer um am sind noch wie einem ich ",
     U"ßäöü"},
    {"fr", "fra", Script::latin,
     " le la les de des et à un une est en que qui dans pour pas sur au avec il ce par plus ne se "
     "du son elle nous vous cette sont mais ou l d je ",
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

// nullptr for a language without an entry.
const Language* language_of(std::string_view name) {
  const std::string_view code = name.substr(0, name.find_first_of("_-"));
  for (const Language& language : kLanguages)
    if (language.code == code || language.long_code == code) return &language;
  return nullptr;
}

// What tells languages apart in a text.
struct Features {
  std::map<Script, double> letters;
  std::vector<std::string> words;  // in small letters
  std::u32string text;             // in small letters
  double all_letters = 0;
};

Features features_of(std::string_view text) {
  Features features;
  // A beginning is enough, and bounds the time.
  const std::string small = unicode::lowercase(text.substr(0, 4096));
  features.text = unicode::decode(small);
  std::u32string word;
  const auto end_word = [&] {
    if (!word.empty()) features.words.push_back(unicode::encode(word));
    word.clear();
  };
  for (const char32_t c : features.text) {
    if (!unicode::is_letter(c) && !unicode::is_mark(c)) {
      end_word();
      continue;
    }
    word += c;
    const auto range = std::find_if(kScripts.begin(), kScripts.end(), [&](const ScriptRange& one) {
      return c >= one.first && c <= one.last;
    });
    if (range == kScripts.end()) continue;
    ++features.letters[range->script];
    ++features.all_letters;
  }
  end_word();
  // Japanese is written with Han letters, too.
  if (features.letters[Script::kana] > 0.05 * features.all_letters)
    features.letters[Script::kana] += std::exchange(features.letters[Script::han], 0);
  return features;
}

double likelihood(const Language& language, const Features& features) {
  if (features.all_letters == 0) return 0;
  const auto letters = features.letters.find(language.script);
  const double share =
      letters == features.letters.end() ? 0 : letters->second / features.all_letters;
  if (language.words.empty()) return share;
  double hits = 0;
  for (const std::string& word : features.words)
    if (language.words.find(" " + word + " ") != language.words.npos) hits += 1;
  for (const char32_t c : features.text)
    if (language.letters.find(c) != language.letters.npos) hits += 0.5;
  const double words = static_cast<double>(std::max<std::size_t>(features.words.size(), 1));
  return share * hits / words;
}

}  // namespace

std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates) {
  const Features features = features_of(text);
  std::vector<LanguageGuess> guesses;
  for (const std::string& candidate : candidates) {
    const Language* const language = language_of(candidate);
    guesses.push_back({candidate, language == nullptr ? 0 : likelihood(*language, features)});
  }
  // Each against all others, and against the chance that it is none of them.
  constexpr double kNone = 0.02;
  const double sum = std::accumulate(
      guesses.begin(), guesses.end(), kNone,
      [](double all, const LanguageGuess& guess) { return all + guess.confidence; });
  for (LanguageGuess& guess : guesses) guess.confidence /= sum;
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  return guesses;
}

}  // namespace attend
