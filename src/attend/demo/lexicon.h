// The lexicon of the demo's English-German grammar. Every English word has one German word (per
// frame: "know" a person is "kennen", "know" that is "wissen"), so each English sentence has
// exactly one German translation.
#pragma once

#include <span>
#include <string_view>

namespace attend::demo {

enum class Gender { masculine, feminine, neuter };
enum class Case { nominative, accusative, dative, genitive };
enum class Natural { he, she, it };  // the English pronoun of a singular noun

// What a noun denotes, as bits. Verbs, adjectives and prepositions state the kinds they accept.
using Kinds = unsigned;
inline constexpr Kinds kPerson = 1, kAnimal = 2, kFood = 4, kDrink = 8, kReadable = 16, kThing = 32,
                       kClothes = 64, kOpenable = 128, kVehicle = 256;
inline constexpr Kinds kInside = 512;     // can be inside it
inline constexpr Kinds kLandmark = 1024;  // can be behind it
inline constexpr Kinds kTarget = 2048;    // can go to it
inline constexpr Kinds kPassage = 4096;   // can go through it
inline constexpr Kinds kShelter = 8192;   // can be under it
inline constexpr Kinds kLiving = kPerson | kAnimal;
inline constexpr Kinds kGoods = kFood | kReadable | kThing | kClothes | kOpenable | kVehicle;
inline constexpr Kinds kPlace = kInside | kLandmark | kTarget;
inline constexpr Kinds kSolid = kLiving | kGoods | kPlace;
inline constexpr Kinds kMaterial = kGoods | kDrink | kPlace;

struct Noun {
  std::string_view en, en_plural;  // no plural: a mass noun ("water")
  std::string_view de, de_plural;
  Gender gender;
  std::string_view genitive;  // ending of the singular genitive; "n" and "en" mark weak nouns,
                              // which have it in accusative and dative, too
  Kinds kinds;
  Natural natural = Natural::it;
  bool mass() const { return en_plural.empty(); }
  bool weak() const { return !genitive.empty() && genitive.back() == 'n'; }
};

struct Adjective {
  std::string_view en, de;
  Kinds kinds;
  std::string_view stem = "";  // before an ending, if not `de`: teuer, ein teures Buch
};

enum class Frame { intransitive, motion, transitive, ditransitive, clausal, copula };

struct Verb {
  Frame frame;
  std::string_view en, en_3sg, en_past;
  std::string_view de, de_3sg,
      participle;  // without the separable particle; the plural is the infinitive
  Kinds subject, object = 0;
  std::string_view particle = "";        // separable: "an" in "ruft ... an", "angerufen"
  std::string_view en_particle = "";     // "picks up the child", "picks him up"
  std::string_view en_preposition = "";  // "looks for him"
  bool sein = false;                     // auxiliary of the perfect
  Case object_case = Case::accusative;
  // Used as past tense instead of the perfect (war, hatte, wusste)
  std::string_view preterite = "";
  bool social = false;  // done with, without or for somebody
};

struct Modal {
  std::string_view en, en_3sg;  // with "to" if it takes one
  std::string_view de, de_plural;
  bool plain;      // negation and questions use "do"
  bool negatable;  // "must not" is not "muss nicht"
  bool takes_mid;  // an adverb may follow it: "can often read"
};

struct Preposition {
  std::string_view en, de;
  Case governs;
  Kinds object;
};

// Tenses that fit an adverb of time, as bits.
inline constexpr unsigned kInPresent = 1, kInPast = 2, kInFuture = 4, kInModal = 8, kInAny = 15;
struct Adverb {
  std::string_view en, de;
  unsigned tenses;
};

struct Conjunction {
  std::string_view en, de;
  unsigned tenses;  // of its clause: "when" is "als" in the past and "wenn" otherwise
  bool may_lead;    // "When ..., the man ..."
};

std::span<const Noun> nouns();
std::span<const Adjective> adjectives();
std::span<const Verb> verbs();
const Verb& copula();
std::span<const Modal> modals();
std::span<const Preposition> locative_prepositions();     // where something is or happens
std::span<const Preposition> directional_prepositions();  // where somebody goes
std::span<const Preposition> personal_prepositions();     // with, without, for
std::span<const Adverb> times();
std::span<const Adverb> frequencies();
std::span<const Conjunction> conjunctions();
struct Number {
  std::string_view en, de;
};
std::span<const Number> numbers();

}  // namespace attend::demo
