// The abstract sentences of the demo and their two spellings. A Sentence says what is meant;
// english() and german() say it. The German side orders, inflects and agrees on its own: nothing in
// a Sentence is specific to either language but the grammatical gender that a Noun carries.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/demo/lexicon.h"

namespace attend::demo {

enum class Person { kFirst, kThird };

// Whom a pronoun or a possessive refers to: all that its two spellings need to know.
struct Referent {
  Person person = Person::kThird;
  bool plural = false;
  Gender gender = Gender::kMasculine;  // of the German noun: "it" is er, sie or es
  Natural natural = Natural::kHe;      // of the English pronoun
};

enum class Determiner {
  kNone,
  kDefinite,
  kIndefinite,
  kThis,
  kEvery,
  kAll,
  kMany,
  kNumber,
  kPossessive,
  kOwner
};

struct Clause;

// A pronoun (no noun) or a noun with its company.
struct NounPhrase {
  const Noun* noun = nullptr;
  bool plural = false;
  Determiner determiner = Determiner::kNone;
  const Number* number = nullptr;  // for kNumber
  Referent referent;               // what the pronoun stands for, or the possessor for kPossessive
  std::shared_ptr<const NounPhrase> owner;   // for kOwner: "the old man's dog"
  std::vector<const Adjective*> adjectives;  // before the noun
  std::shared_ptr<const Clause> relative;    // "the man who ...": its gap is this noun

  bool is_pronoun() const { return noun == nullptr; }
};

// What a pronoun that stands for this phrase refers to.
Referent referent_of(const NounPhrase& phrase);

enum class Tense { kPresent, kPast, kFuture, kModal };
unsigned bit(Tense tense);  // kInPresent ...

enum class Gap { kNone, kSubject, kObject };

struct Clause {
  NounPhrase subject;
  const Verb* verb = nullptr;
  Tense tense = Tense::kPresent;
  const Modal* modal = nullptr;  // for kModal
  bool negated = false;
  std::optional<NounPhrase> indirect;  // dative, of ditransitive verbs
  std::optional<NounPhrase> object;
  const Adjective* predicate = nullptr;  // of the copula
  bool very = false;                     // "very old"
  const Preposition* preposition = nullptr;
  std::optional<NounPhrase> prepositional;
  const Adverb* time = nullptr;
  bool time_first = false;
  const Adverb* frequency = nullptr;
  Gap gap = Gap::kNone;  // what a relative pronoun or a question word stands for
};

enum class QuestionWord { kNone, kWho, kWhat, kWhom, kWhere, kWhen, kWhy };

enum class Shape {
  kStatement,
  kQuestion,     // yes or no, or with a question word
  kSubordinate,  // second clause under the conjunction, after the first
  kSubordinateFirst,
  kThat,  // "the man says that ..."; with the verb "ask": whether
  kAnd,   // two clauses with their own subjects
  kBut,
  kSequence,  // "the man buys a cake and eats it": the second clause has the subject, tense and
              // modal of the first
};

struct Sentence {
  Shape shape = Shape::kStatement;
  Clause first;
  std::optional<Clause> second;
  const Conjunction* conjunction = nullptr;
  QuestionWord question = QuestionWord::kNone;
};

std::string english(const Sentence& sentence);
std::string german(const Sentence& sentence);

}  // namespace attend::demo
