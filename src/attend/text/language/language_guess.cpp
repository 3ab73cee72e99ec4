#include "attend/text/language/language_guess.h"

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/text/language/language_evidence.h"

namespace attend {
namespace {

// What people write alone: greetings, thanks, short answers. A filter of text has no use for them.
struct ShortWords {
  std::string_view code;
  std::string_view words;
};

constexpr std::array kShortWords{
    ShortWords{"en",
               "hello hi hey thanks thank yes please welcome good morning evening night bye "
               "goodbye sorry how what where why who cat dog house"},
    ShortWords{"de",
               "hallo danke bitte ja nein guten tag morgen abend nacht tschüss willkommen "
               "wie warum wo wer katze hund haus entschuldigung"},
    ShortWords{"fr",
               "bonjour bonsoir salut merci oui non bonne nuit revoir bienvenue pourquoi "
               "comment où qui chat chien maison pardon"},
    ShortWords{"es",
               "hola gracias sí buenos buenas días tardes noches adiós bienvenido por qué "
               "cómo dónde quién gato perro casa perdón"},
    ShortWords{"it",
               "ciao grazie sì buongiorno buonasera buona notte arrivederci benvenuto perché "
               "come dove chi gatto cane casa scusa prego"},
    ShortWords{"pt",
               "olá obrigado obrigada sim não bom boa dia noite tchau adeus porquê como onde "
               "quem gato cão cachorro casa desculpe"},
    ShortWords{"nl",
               "hallo dank bedankt ja nee goedemorgen goedenavond dag welkom waarom hoe waar "
               "wie kat hond huis sorry"},
    ShortWords{"sv",
               "hej tack ja nej god morgon kväll natt välkommen varför hur var vem katt hund "
               "hus"},
    ShortWords{"da",
               "hej tak ja nej god morgen aften nat velkommen hvorfor hvordan hvor hvem kat "
               "hund hus"},
    ShortWords{"nb",
               "hei takk ja nei god morgen kveld natt velkommen hvorfor hvordan hvor hvem "
               "katt hund hus"},
    ShortWords{"fi",
               "hei moi kiitos kyllä ei hyvää huomenta iltaa yötä tervetuloa miksi miten "
               "missä kuka kissa koira talo"},
    ShortWords{"pl",
               "cześć dzień dobry dziękuję tak nie proszę dobranoc witaj dlaczego gdzie kto "
               "kot pies dom"},
    ShortWords{"cs",
               "ahoj dobrý den děkuji ano ne prosím dobrou noc vítejte proč kde kdo kočka "
               "pes dům"},
    ShortWords{"ro", "bună salut mulțumesc da nu noapte ziua pisică câine casă unde cine"},
    ShortWords{"hu",
               "szia helló köszönöm igen jó reggelt estét napot viszlát hol ki macska kutya "
               "ház"},
    ShortWords{"tr",
               "merhaba selam teşekkürler evet hayır günaydın iyi akşamlar geceler neden "
               "nasıl nerede kim kedi köpek"},
    ShortWords{"ru",
               "привет спасибо да нет здравствуйте доброе утро добрый день вечер пожалуйста "
               "пока кошка собака дом где кто"},
    ShortWords{"uk", "привіт дякую так ні добрий день ранок вечір будь ласка кіт собака дім хто"},
    ShortWords{"bg", "здравей благодаря да не добро утро ден вечер моля котка куче къща кой"},
};

// In small letters, of the beginning of the text.
std::vector<std::string> words_of(std::string_view text) {
  constexpr std::size_t kRead = 256;
  const std::string small = unicode::lowercase(text.substr(0, kRead));
  std::vector<std::string> words(1);
  for (std::size_t at = 0; at < small.size();) {
    const std::size_t begin = at;
    const char32_t c = next_code_point(small, at);
    if (unicode::is_letter(c) || unicode::is_mark(c))
      words.back().append(small, begin, at - begin);
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// The share of short words of a language among all words.
double short_words(std::size_t language, const std::vector<std::string>& words) {
  const auto own = std::find_if(kShortWords.begin(), kShortWords.end(), [&](const auto& one) {
    return one.code == detail::language_code(language);
  });
  if (own == kShortWords.end() || words.empty()) return 0;
  const std::vector<std::string_view> known = unicode::split(own->words);
  const auto count = std::count_if(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(known.begin(), known.end(), word) != known.end();
  });
  return static_cast<double>(count) / static_cast<double>(words.size());
}

// How well a language fits where nothing speaks for one: a hint, not a probability.
double hint(std::size_t language, const detail::LanguageEvidence& evidence,
            const std::vector<std::string>& words) {
  const double letters = evidence.known_letters();
  if (letters == 0) return 0;
  const double share = evidence.letters_of(detail::script_of(language)) / letters;
  return share * (1 + short_words(language, words));
}

double likelihood(std::size_t language, const detail::LanguageEvidence& evidence) {
  const double letters = evidence.known_letters();
  if (letters == 0) return 0;
  const double share = evidence.letters_of(detail::script_of(language)) / letters;
  if (detail::is_alone_in_script(language)) return share;
  const double words = static_cast<double>(std::max<std::size_t>(evidence.words, 1));
  return share * evidence.weight_of(language) / words;
}

}  // namespace

std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates) {
  const detail::LanguageEvidence evidence = detail::evidence_of(text);
  const std::vector<std::string> words = words_of(text);
  std::vector<std::pair<LanguageGuess, double>> found;  // with hints
  for (const std::string& candidate : candidates) {
    const auto language = detail::find_language(candidate);
    found.push_back({{candidate, language ? likelihood(*language, evidence) : 0},
                     language ? hint(*language, evidence, words) : 0});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const double one = a.first.confidence, other = b.first.confidence;
    return one != other ? one > other : a.second > b.second;
  });
  // Each against all others, and against the chance that it is none of them.
  constexpr double kNone = 0.02;
  double sum = kNone;
  for (const auto& [guess, unused] : found) sum += guess.confidence;
  std::vector<LanguageGuess> guesses;
  for (auto& [guess, unused] : found)
    guesses.push_back({std::move(guess.language), guess.confidence / sum});
  return guesses;
}

}  // namespace attend
