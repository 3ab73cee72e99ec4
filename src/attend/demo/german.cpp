#include <string>
#include <vector>

#include "attend/demo/declension.h"
#include "attend/demo/grammar.h"
#include "attend/demo/words.h"

namespace attend::demo {
namespace {

enum class Order {
  kVerbSecond,
  kVerbFirst,
  kVerbLast,
  kElided
};  // kElided: no subject; no auxiliary either ("und ihn gegessen")

void add_clause(Words& words, const Clause& clause, Order order, std::string_view lead = "");

Agreement agreement(const NounPhrase& phrase, Case grammatical_case) {
  return {grammatical_case, phrase.noun->gender, phrase.plural};
}

// The determiner, without the contraction with a preposition.
std::string determiner(const NounPhrase& phrase, Agreement a, bool negated) {
  const auto inflected = [&](std::string_view stem, std::string_view ending) {
    return std::string(stem) + std::string(ending);
  };
  switch (phrase.determiner) {
    case Determiner::kNone:
      return negated ? inflected("kein", ein_ending(a)) : "";
    case Determiner::kDefinite:
    case Determiner::kOwner:
      return std::string(definite_article(a));
    case Determiner::kIndefinite:
      return inflected(negated ? "kein" : "ein", ein_ending(a));
    case Determiner::kThis:
      return inflected("dies", strong_ending(a));
    case Determiner::kEvery:
      return inflected("jed", strong_ending(a));
    case Determiner::kAll:
      return inflected("all", strong_ending(a));
    case Determiner::kMany:
      return inflected("viel", strong_ending(a));
    case Determiner::kNumber:
      return std::string(phrase.number->de);
    case Determiner::kPossessive:
      return inflected(possessive_stem(phrase.referent), ein_ending(a));
  }
  return "";
}

Before before_adjective(Determiner determiner, bool negated) {
  switch (determiner) {
    case Determiner::kDefinite:
    case Determiner::kOwner:
    case Determiner::kThis:
    case Determiner::kEvery:
    case Determiner::kAll:
      return Before::kDerWord;
    case Determiner::kIndefinite:
    case Determiner::kPossessive:
      return Before::kEinWord;
    default:
      return negated ? Before::kEinWord : Before::kNothing;
  }
}

void add_relative(Words& words, const NounPhrase& phrase) {
  const Clause& relative = *phrase.relative;
  const Case role = relative.gap == Gap::kSubject ? Case::kNominative : relative.verb->object_case;
  words.comma();
  add_clause(words, relative, Order::kVerbLast, relative_pronoun(agreement(phrase, role)));
  words.comma();
}

// A noun phrase in its case. With `negated`, ein becomes kein; `article` replaces the determiner
// where a preposition has swallowed it.
void add_phrase(Words& words, const NounPhrase& phrase, Case grammatical_case, bool negated = false,
                bool contracted = false) {
  if (phrase.is_pronoun()) return words.add(personal_pronoun(phrase.referent, grammatical_case));
  const Agreement a = agreement(phrase, grammatical_case);
  if (!contracted) words.add(determiner(phrase, a, negated));
  const std::string_view ending = adjective_ending(before_adjective(phrase.determiner, negated), a);
  for (const Adjective* adjective : phrase.adjectives) {
    std::string form(adjective->stem.empty() ? adjective->de : adjective->stem);
    if (form.back() == 'e') form.pop_back();  // müde, ein müder Hund
    words.add(form + std::string(ending));
  }
  words.add(declined_noun(*phrase.noun, phrase.plural, grammatical_case));
  if (phrase.owner) add_phrase(words, *phrase.owner, Case::kGenitive);
  if (phrase.relative) add_relative(words, phrase);
}

// in + dem = im, zu + der = zur; empty when the two stay apart.
std::string_view contraction(std::string_view preposition, std::string_view article) {
  struct Pair {
    std::string_view preposition, article, joined;
  };
  static constexpr Pair kPairs[] = {
      {"in", "dem", "im"}, {"in", "das", "ins"}, {"zu", "dem", "zum"}, {"zu", "der", "zur"}};
  for (const Pair& pair : kPairs) {
    if (pair.preposition == preposition && pair.article == article) return pair.joined;
  }
  return "";
}

void add_prepositional(Words& words, const Preposition& preposition, const NounPhrase& phrase) {
  std::string_view joined;
  if (phrase.determiner == Determiner::kDefinite || phrase.determiner == Determiner::kOwner) {
    joined = contraction(preposition.de, definite_article(agreement(phrase, preposition.governs)));
  }
  words.add(joined.empty() ? preposition.de : joined);
  add_phrase(words, phrase, preposition.governs, false, !joined.empty());
}

bool plural_subject(const Clause& c) {
  return c.subject.is_pronoun() ? c.subject.referent.plural : c.subject.plural;
}
bool first_person(const Clause& c) {
  return c.subject.is_pronoun() && c.subject.referent.person == Person::kFirst;
}

// Present of a verb, without its particle.
std::string present(const Clause& clause, const Verb& verb) {
  if (plural_subject(clause)) return verb.frame == Frame::kCopula ? "sind" : std::string(verb.de);
  if (!first_person(clause)) return std::string(verb.de_3sg);
  if (verb.frame == Frame::kCopula) return "bin";
  if (verb.de_3sg.back() != 't') return std::string(verb.de_3sg);  // ich weiß
  return std::string(verb.de.substr(0, verb.de.size() - 1));
}

std::string auxiliary(const Clause& clause, std::string_view first, std::string_view third,
                      std::string_view plural) {
  return std::string(plural_subject(clause) ? plural : first_person(clause) ? first : third);
}

// The finite verb, and the words that close the clause: particle, participle or infinitive.
struct GermanVerbGroup {
  std::string finite, closing;
  bool has_particle = false;  // `closing` is a separable particle, written together with the finite
                              // verb at the end of a clause
};

GermanVerbGroup verb_group(const Clause& clause) {
  const Verb& verb = *clause.verb;
  const std::string particle(verb.particle);
  switch (clause.tense) {
    case Tense::kPresent:
      return {present(clause, verb), particle, !particle.empty()};
    case Tense::kPast:
      if (!verb.preterite.empty()) {
        const std::string stem(verb.preterite);
        return {plural_subject(clause) ? stem + (stem.back() == 'e' ? "n" : "en") : stem, "",
                false};
      }
      return {verb.sein ? auxiliary(clause, "bin", "ist", "sind")
                        : auxiliary(clause, "habe", "hat", "haben"),
              particle + std::string(verb.participle), false};
    case Tense::kFuture:
      return {auxiliary(clause, "werde", "wird", "werden"), particle + std::string(verb.de), false};
    case Tense::kModal:
      return {std::string(plural_subject(clause) ? clause.modal->de_plural : clause.modal->de),
              particle + std::string(verb.de), false};
  }
  return {};
}

bool takes_kein(const Clause& clause) {
  return clause.negated && clause.object && clause.gap != Gap::kObject &&
         !clause.object->is_pronoun() &&
         (clause.object->determiner == Determiner::kIndefinite ||
          clause.object->determiner == Determiner::kNone);
}

// Between the finite verb and the end: pronouns, adverbs, dative, accusative, "nicht",
// prepositional phrase, predicate.
void add_middle(Words& words, const Clause& clause) {
  const bool kein = takes_kein(clause);
  const bool object_here = clause.object && clause.gap != Gap::kObject;
  const Case object_case = clause.verb->object_case;
  if (object_here && clause.object->is_pronoun()) add_phrase(words, *clause.object, object_case);
  if (clause.indirect && clause.indirect->is_pronoun())
    add_phrase(words, *clause.indirect, Case::kDative);
  if (clause.time && !clause.time_first) words.add(clause.time->de);
  if (clause.frequency) words.add(clause.frequency->de);
  if (clause.indirect && !clause.indirect->is_pronoun())
    add_phrase(words, *clause.indirect, Case::kDative);
  if (object_here && !clause.object->is_pronoun())
    add_phrase(words, *clause.object, object_case, kein);
  if (clause.negated && !kein) words.add("nicht");
  if (clause.preposition) add_prepositional(words, *clause.preposition, *clause.prepositional);
  if (clause.predicate) {
    if (clause.very) words.add("sehr");
    words.add(clause.predicate->de);
  }
}

// `lead` is what a question, a relative clause or a subordinate clause opens with.
void add_clause(Words& words, const Clause& clause, Order order, std::string_view lead) {
  const GermanVerbGroup group = verb_group(clause);
  const auto subject = [&] {
    if (clause.gap != Gap::kSubject) add_phrase(words, clause.subject, Case::kNominative);
  };
  words.add(lead);
  if (order == Order::kVerbLast) {
    subject();
    add_middle(words, clause);
    if (group.has_particle) return words.add(group.closing + group.finite);
    words.add(group.closing);
    return words.add(group.finite);
  }
  const bool time_leads = order == Order::kVerbSecond && clause.time && clause.time_first;
  if (time_leads) words.add(clause.time->de);
  if (order == Order::kVerbSecond && !time_leads) subject();
  if (order != Order::kElided || group.closing.empty() || group.has_particle)
    words.add(group.finite);
  if (order == Order::kVerbFirst || time_leads) subject();
  add_middle(words, clause);
  words.add(group.closing);
}

std::string_view question_word(const Sentence& sentence) {
  switch (sentence.question) {
    case QuestionWord::kNone:
      return "";
    case QuestionWord::kWho:
      return "wer";
    case QuestionWord::kWhat:
      return "was";
    case QuestionWord::kWhom:
      return sentence.first.verb->object_case == Case::kDative ? "wem" : "wen";
    case QuestionWord::kWhere:
      return sentence.first.verb->frame == Frame::kMotion ? "wohin" : "wo";
    case QuestionWord::kWhen:
      return "wann";
    case QuestionWord::kWhy:
      return "warum";
  }
  return "";
}

}  // namespace

std::string german(const Sentence& sentence) {
  Words words;
  switch (sentence.shape) {
    case Shape::kStatement:
      add_clause(words, sentence.first, Order::kVerbSecond);
      break;
    case Shape::kQuestion:
      add_clause(words, sentence.first, Order::kVerbFirst, question_word(sentence));
      return words.finish('?');
    case Shape::kSubordinate:
      add_clause(words, sentence.first, Order::kVerbSecond);
      words.comma();
      add_clause(words, *sentence.second, Order::kVerbLast, sentence.conjunction->de);
      break;
    case Shape::kSubordinateFirst:
      add_clause(words, *sentence.second, Order::kVerbLast, sentence.conjunction->de);
      words.comma();
      add_clause(words, sentence.first, Order::kVerbFirst);
      break;
    case Shape::kThat:
      add_clause(words, sentence.first, Order::kVerbSecond);
      words.comma();
      add_clause(words, *sentence.second, Order::kVerbLast,
                 sentence.first.verb->en == "ask" ? "ob" : "dass");
      break;
    case Shape::kAnd:
      add_clause(words, sentence.first, Order::kVerbSecond);
      words.add("und");
      add_clause(words, *sentence.second, Order::kVerbSecond);
      break;
    case Shape::kBut:
      add_clause(words, sentence.first, Order::kVerbSecond);
      words.comma();
      words.add("aber");
      add_clause(words, *sentence.second, Order::kVerbSecond);
      break;
    case Shape::kSequence:
      add_clause(words, sentence.first, Order::kVerbSecond);
      words.add("und");
      add_clause(words, *sentence.second, Order::kElided);
      break;
  }
  return words.finish('.');
}

}  // namespace attend::demo
