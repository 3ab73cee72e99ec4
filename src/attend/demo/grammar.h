// The abstract sentences of the demo. A Sentence is a meaning; english() and german() render it.
// German word order, inflection and agreement are derived: a Sentence holds nothing specific to
// either language except the grammatical gender of nouns.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attend/demo/lexicon.h"

namespace attend::demo {

enum class Person { first, third };

// What a pronoun or possessive refers to, as far as its two forms need to know.
struct Referent {
  Person person = Person::third;
  bool plural = false;
  Gender gender = Gender::masculine;  // of the German noun: "it" is er, sie or es
  Natural natural = Natural::he;      // of the English pronoun
};

enum class Determiner {
  none,
  definite,
  indefinite,
  demonstrative,
  every,
  all,
  many,
  number,
  possessive,
  owner
};

struct Clause;

// A pronoun (no noun), or a noun with its modifiers.
struct NounPhrase {
  const Noun* noun = nullptr;
  bool plural = false;
  Determiner determiner = Determiner::none;
  const Number* number = nullptr;  // for number
  Referent referent;               // what the pronoun refers to, or the possessor for possessive
  std::shared_ptr<const NounPhrase> owner;   // for owner: "the old man's dog"
  std::vector<const Adjective*> adjectives;  // before the noun
  std::shared_ptr<const Clause> relative;    // "the man who ...": its gap is this noun

  bool is_pronoun() const { return noun == nullptr; }
};

// The referent of a pronoun that replaces this phrase.
Referent referent_of(const NounPhrase& phrase);

enum class Tense { present, past, future, modal };
unsigned bit(Tense tense);  // kInPresent ...

enum class Gap { none, subject, object };

struct Clause {
  NounPhrase subject;
  const Verb* verb = nullptr;
  Tense tense = Tense::present;
  const Modal* modal = nullptr;  // for modal
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
  Gap gap = Gap::none;  // what a relative pronoun or question word replaces
};

enum class QuestionWord { none, who, what, whom, where, when, why };

enum class Shape {
  statement,
  question,     // yes or no, or with a question word
  subordinate,  // second clause under the conjunction, after the first
  subordinate_first,
  that,         // "the man says that ..."; with the verb "ask": whether
  coordinated,  // two clauses with their own subjects
  adversative,
  sequence,  // "the man buys a cake and eats it": the second clause shares subject, tense and modal
};

struct Sentence {
  Shape shape = Shape::statement;
  Clause first;
  std::optional<Clause> second;
  const Conjunction* conjunction = nullptr;
  QuestionWord question = QuestionWord::none;
};

std::string english(const Sentence& sentence);
std::string german(const Sentence& sentence);

}  // namespace attend::demo
