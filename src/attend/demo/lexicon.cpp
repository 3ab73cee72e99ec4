#include "attend/demo/lexicon.h"

namespace attend::demo {
namespace {

constexpr auto kM = Gender::masculine;
constexpr auto kF = Gender::feminine;
constexpr auto kN = Gender::neuter;

constexpr Noun kNouns[] = {
    {"man", "men", "Mann", "Männer", kM, "es", kPerson, Natural::he},
    {"woman", "women", "Frau", "Frauen", kF, "", kPerson, Natural::she},
    {"child", "children", "Kind", "Kinder", kN, "es", kPerson},
    {"boy", "boys", "Junge", "Jungen", kM, "n", kPerson, Natural::he},
    {"girl", "girls", "Mädchen", "Mädchen", kN, "s", kPerson, Natural::she},
    {"teacher", "teachers", "Lehrer", "Lehrer", kM, "s", kPerson, Natural::he},
    {"doctor", "doctors", "Arzt", "Ärzte", kM, "es", kPerson, Natural::he},
    {"friend", "friends", "Freund", "Freunde", kM, "es", kPerson, Natural::he},
    {"mother", "mothers", "Mutter", "Mütter", kF, "", kPerson, Natural::she},
    {"father", "fathers", "Vater", "Väter", kM, "s", kPerson, Natural::he},
    {"brother", "brothers", "Bruder", "Brüder", kM, "s", kPerson, Natural::he},
    {"sister", "sisters", "Schwester", "Schwestern", kF, "", kPerson, Natural::she},
    {"student", "students", "Student", "Studenten", kM, "en", kPerson, Natural::he},
    {"queen", "queens", "Königin", "Königinnen", kF, "", kPerson, Natural::she},

    {"dog", "dogs", "Hund", "Hunde", kM, "es", kAnimal},
    {"cat", "cats", "Katze", "Katzen", kF, "", kAnimal},
    {"horse", "horses", "Pferd", "Pferde", kN, "es", kAnimal},
    {"bird", "birds", "Vogel", "Vögel", kM, "s", kAnimal},
    {"cow", "cows", "Kuh", "Kühe", kF, "", kAnimal},
    {"mouse", "mice", "Maus", "Mäuse", kF, "", kAnimal},
    {"bear", "bears", "Bär", "Bären", kM, "en", kAnimal},

    {"apple", "apples", "Apfel", "Äpfel", kM, "s", kFood},
    {"cake", "cakes", "Kuchen", "Kuchen", kM, "s", kFood},
    {"egg", "eggs", "Ei", "Eier", kN, "s", kFood},
    {"banana", "bananas", "Banane", "Bananen", kF, "", kFood},
    {"bread", "", "Brot", "", kN, "es", kFood},
    {"water", "", "Wasser", "", kN, "s", kDrink},
    {"milk", "", "Milch", "", kF, "", kDrink},
    {"coffee", "", "Kaffee", "", kM, "s", kDrink},

    {"book", "books", "Buch", "Bücher", kN, "es", kReadable},
    {"letter", "letters", "Brief", "Briefe", kM, "es", kReadable},
    {"newspaper", "newspapers", "Zeitung", "Zeitungen", kF, "", kReadable},
    {"ball", "balls", "Ball", "Bälle", kM, "es", kThing},
    {"flower", "flowers", "Blume", "Blumen", kF, "", kThing},
    {"picture", "pictures", "Bild", "Bilder", kN, "es", kThing},
    {"key", "keys", "Schlüssel", "Schlüssel", kM, "s", kThing},
    {"lamp", "lamps", "Lampe", "Lampen", kF, "", kThing},
    {"gift", "gifts", "Geschenk", "Geschenke", kN, "s", kThing},
    {"cup", "cups", "Tasse", "Tassen", kF, "", kThing},
    {"chair", "chairs", "Stuhl", "Stühle", kM, "s", kThing},
    {"table", "tables", "Tisch", "Tische", kM, "es", kThing | kShelter},
    {"bicycle", "bicycles", "Fahrrad", "Fahrräder", kN, "s", kVehicle},
    {"car", "cars", "Auto", "Autos", kN, "s", kVehicle},
    {"coat", "coats", "Mantel", "Mäntel", kM, "s", kClothes},
    {"shirt", "shirts", "Hemd", "Hemden", kN, "es", kClothes},
    {"hat", "hats", "Hut", "Hüte", kM, "es", kClothes},
    {"door", "doors", "Tür", "Türen", kF, "", kOpenable},
    {"window", "windows", "Fenster", "Fenster", kN, "s", kOpenable},
    {"box", "boxes", "Kiste", "Kisten", kF, "", kOpenable},

    {"house", "houses", "Haus", "Häuser", kN, "es", kInside | kLandmark},
    {"garden", "gardens", "Garten", "Gärten", kM, "s", kInside | kPassage},
    {"forest", "forests", "Wald", "Wälder", kM, "es", kInside | kPassage},
    {"school", "schools", "Schule", "Schulen", kF, "", kInside | kLandmark | kTarget},
    {"city", "cities", "Stadt", "Städte", kF, "", kInside | kPassage},
    {"kitchen", "kitchens", "Küche", "Küchen", kF, "", kInside},
    {"church", "churches", "Kirche", "Kirchen", kF, "", kInside | kLandmark | kTarget},
    {"village", "villages", "Dorf", "Dörfer", kN, "es", kInside | kPassage},
    {"bridge", "bridges", "Brücke", "Brücken", kF, "", kTarget | kLandmark | kShelter},
    {"tree", "trees", "Baum", "Bäume", kM, "es", kLandmark | kShelter},
    {"market", "markets", "Markt", "Märkte", kM, "es", kTarget},
};

constexpr Adjective kAdjectives[] = {
    {"old", "alt", kSolid},
    {"young", "jung", kLiving},
    {"big", "groß", kSolid & ~kPerson},
    {"small", "klein", kSolid},
    {"new", "neu", kGoods & ~kFood},
    {"beautiful", "schön", kSolid & ~kFood},
    {"strange", "seltsam", kSolid},
    {"tired", "müde", kLiving},
    {"hungry", "hungrig", kLiving},
    {"happy", "glücklich", kLiving},
    {"sad", "traurig", kLiving},
    {"sick", "krank", kLiving},
    {"strong", "stark", kLiving},
    {"clever", "klug", kLiving},
    {"friendly", "freundlich", kPerson},
    {"red", "rot", kThing | kClothes | kVehicle | kOpenable},
    {"green", "grün", kThing | kClothes | kVehicle | kOpenable},
    {"black", "schwarz", kAnimal | kThing | kClothes | kVehicle},
    {"white", "weiß", kAnimal | kThing | kClothes | kVehicle},
    {"good", "gut", kFood | kDrink | kReadable},
    {"cold", "kalt", kDrink | kFood | kInside},
    {"warm", "warm", kDrink | kFood | kClothes},
    {"expensive", "teuer", kGoods, "teur"},
    {"heavy", "schwer", kThing | kReadable | kOpenable},
    {"dark", "dunkel", kInside, "dunkl"},
    {"dirty", "schmutzig", kThing | kClothes | kVehicle | kOpenable},
};

constexpr Modal kModals[] = {
    {"can", "can", "kann", "können", false, true, true},
    {"must", "must", "muss", "müssen", false, false, true},
    {"should", "should", "sollte", "sollten", false, true, true},
    {"want to", "wants to", "will", "wollen", true, true, false},
    {"would like to", "would like to", "möchte", "möchten", false, false, false},
};

constexpr Preposition kLocative[] = {
    {"in", "in", Case::dative, kInside},
    {"behind", "hinter", Case::dative, kLandmark},
    {"in front of", "vor", Case::dative, kLandmark},
    {"next to", "neben", Case::dative, kLandmark},
    {"under", "unter", Case::dative, kShelter},
};
constexpr Preposition kDirectional[] = {
    {"into", "in", Case::accusative, kInside},
    {"to", "zu", Case::dative, kTarget},
    {"through", "durch", Case::accusative, kPassage},
    {"out of", "aus", Case::dative, kInside},
};
constexpr Preposition kPersonalPrepositions[] = {
    {"with", "mit", Case::dative, kLiving},
    {"without", "ohne", Case::accusative, kLiving},
    {"for", "für", Case::accusative, kPerson},
};

constexpr Adverb kTimes[] = {
    {"today", "heute", kInAny},
    {"yesterday", "gestern", kInPast},
    {"tomorrow", "morgen", kInFuture | kInModal},
    {"now", "jetzt", kInPresent | kInModal},
    {"soon", "bald", kInFuture},
    {"every day", "jeden Tag", kInPresent},
    {"in the evening", "am Abend", kInAny},
    {"on Sunday", "am Sonntag", kInPast | kInFuture | kInModal},
};
constexpr Adverb kFrequencies[] = {
    {"often", "oft", kInAny},
    {"always", "immer", kInAny},
    {"never", "nie", kInAny},
    {"sometimes", "manchmal", kInAny},
};

constexpr Conjunction kConjunctions[] = {
    {"because", "weil", kInAny, false},          {"although", "obwohl", kInAny, true},
    {"when", "wenn", kInPresent, true},          {"when", "als", kInPast, true},
    {"if", "wenn", kInPresent | kInModal, true}, {"while", "während", kInPresent | kInPast, true},
};

constexpr Number kNumbers[] = {
    {"two", "zwei"}, {"three", "drei"}, {"four", "vier"}, {"five", "fünf"}, {"ten", "zehn"}};

}  // namespace

std::span<const Noun> nouns() { return kNouns; }
std::span<const Adjective> adjectives() { return kAdjectives; }
std::span<const Modal> modals() { return kModals; }
std::span<const Preposition> locative_prepositions() { return kLocative; }
std::span<const Preposition> directional_prepositions() { return kDirectional; }
std::span<const Preposition> personal_prepositions() { return kPersonalPrepositions; }
std::span<const Adverb> times() { return kTimes; }
std::span<const Adverb> frequencies() { return kFrequencies; }
std::span<const Conjunction> conjunctions() { return kConjunctions; }
std::span<const Number> numbers() { return kNumbers; }

}  // namespace attend::demo
