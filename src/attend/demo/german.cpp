#include <string>
#include <vector>

#include "attend/demo/declension.h"
#include "attend/demo/grammar.h"
#include "attend/demo/words.h"

namespace attend::demo {
namespace {

enum class Order {
  verb_second,
  verb_first,
  verb_last,
  elided
};  // kElided: no subject; no auxiliary either ("und ihn gegessen")

void add_clause(Words& words, const Clause& clause, Order order, std::string_view lead = "");

Agreement agreement(const NounPhrase& phrase, Case grammatical_case) {
  return {grammatical_case, phrase.noun->gender, phrase.plural};
}

// The determiner, not contracted with a preposition.
std::string determiner(const NounPhrase& phrase, Agreement a, bool negated) {
  const auto inflected = [&](std::string_view stem, std::string_view ending) {
    return std::string(stem) + std::string(ending);
  };
  switch (phrase.determiner) {
    case Determiner::none:
      return negated ? inflected("kein", ein_ending(a)) : "";
    case Determiner::definite:
    case Determiner::owner:
      return std::string(definite_article(a));
    case Determiner::indefinite:
      return inflected(negated ? "kein" : "ein", ein_ending(a));
    case Determiner::demonstrative:
      return inflected("dies", strong_ending(a));
    case Determiner::every:
      return inflected("jed", strong_ending(a));
    case Determiner::all:
      return inflected("all", strong_ending(a));
    case Determiner::many:
      return inflected("viel", strong_ending(a));
    case Determiner::number:
      return std::string(phrase.number->de);
    case Determiner::possessive:
      return inflected(possessive_stem(phrase.referent), ein_ending(a));
  }
  return "";
}

Before before_adjective(Determiner determiner, bool negated) {
  switch (determiner) {
    case Determiner::definite:
    case Determiner::owner:
    case Determiner::demonstrative:
    case Determiner::every:
    case Determiner::all:
      return Before::der_word;
    case Determiner::indefinite:
    case Determiner::possessive:
      return Before::ein_word;
    default:
      return negated ? Before::ein_word : Before::nothing;
  }
}

void add_relative(Words& words, const NounPhrase& phrase) {
  const Clause& relative = *phrase.relative;
  const Case role = relative.gap == Gap::subject ? Case::nominative : relative.verb->object_case;
  words.comma();
  add_clause(words, relative, Order::verb_last, relative_pronoun(agreement(phrase, role)));
  words.comma();
}

// A noun phrase in its case. With `negated`, ein becomes kein. `article` replaces the determiner if
// it is contracted with a preposition.
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
  if (phrase.owner) add_phrase(words, *phrase.owner, Case::genitive);
  if (phrase.relative) add_relative(words, phrase);
}

// in + dem = im, zu + der = zur; empty if there is no contraction.
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
  if (phrase.determiner == Determiner::definite || phrase.determiner == Determiner::owner) {
    joined = contraction(preposition.de, definite_article(agreement(phrase, preposition.governs)));
  }
  words.add(joined.empty() ? preposition.de : joined);
  add_phrase(words, phrase, preposition.governs, false, !joined.empty());
}

bool plural_subject(const Clause& c) {
  return c.subject.is_pronoun() ? c.subject.referent.plural : c.subject.plural;
}
bool first_person(const Clause& c) {
  return c.subject.is_pronoun() && c.subject.referent.person == Person::first;
}

// Present tense of a verb, without its particle.
std::string present(const Clause& clause, const Verb& verb) {
  if (plural_subject(clause)) return verb.frame == Frame::copula ? "sind" : std::string(verb.de);
  if (!first_person(clause)) return std::string(verb.de_3sg);
  if (verb.frame == Frame::copula) return "bin";
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
    case Tense::present:
      return {present(clause, verb), particle, !particle.empty()};
    case Tense::past:
      if (!verb.preterite.empty()) {
        const std::string stem(verb.preterite);
        return {plural_subject(clause) ? stem + (stem.back() == 'e' ? "n" : "en") : stem, "",
                false};
      }
      return {verb.sein ? auxiliary(clause, "bin", "ist", "sind")
                        : auxiliary(clause, "habe", "hat", "haben"),
              particle + std::string(verb.participle), false};
    case Tense::future:
      return {auxiliary(clause, "werde", "wird", "werden"), particle + std::string(verb.de), false};
    case Tense::modal:
      return {std::string(plural_subject(clause) ? clause.modal->de_plural : clause.modal->de),
              particle + std::string(verb.de), false};
  }
  return {};
}

bool takes_kein(const Clause& clause) {
  return clause.negated && clause.object && clause.gap != Gap::object &&
         !clause.object->is_pronoun() &&
         (clause.object->determiner == Determiner::indefinite ||
          clause.object->determiner == Determiner::none);
}

// The words between the finite verb and the end: pronouns, adverbs, dative, accusative, "nicht",
// prepositional phrase, predicate.
void add_middle(Words& words, const Clause& clause) {
  const bool kein = takes_kein(clause);
  const bool object_here = clause.object && clause.gap != Gap::object;
  const Case object_case = clause.verb->object_case;
  if (object_here && clause.object->is_pronoun()) add_phrase(words, *clause.object, object_case);
  if (clause.indirect && clause.indirect->is_pronoun())
    add_phrase(words, *clause.indirect, Case::dative);
  if (clause.time && !clause.time_first) words.add(clause.time->de);
  if (clause.frequency) words.add(clause.frequency->de);
  if (clause.indirect && !clause.indirect->is_pronoun())
    add_phrase(words, *clause.indirect, Case::dative);
  if (object_here && !clause.object->is_pronoun())
    add_phrase(words, *clause.object, object_case, kein);
  if (clause.negated && !kein) words.add("nicht");
  if (clause.preposition) add_prepositional(words, *clause.preposition, *clause.prepositional);
  if (clause.predicate) {
    if (clause.very) words.add("sehr");
    words.add(clause.predicate->de);
  }
}

// `lead` opens a question, a relative clause or a subordinate clause.
void add_clause(Words& words, const Clause& clause, Order order, std::string_view lead) {
  const GermanVerbGroup group = verb_group(clause);
  const auto subject = [&] {
    if (clause.gap != Gap::subject) add_phrase(words, clause.subject, Case::nominative);
  };
  words.add(lead);
  if (order == Order::verb_last) {
    subject();
    add_middle(words, clause);
    if (group.has_particle) return words.add(group.closing + group.finite);
    words.add(group.closing);
    return words.add(group.finite);
  }
  const bool time_leads = order == Order::verb_second && clause.time && clause.time_first;
  if (time_leads) words.add(clause.time->de);
  if (order == Order::verb_second && !time_leads) subject();
  if (order != Order::elided || group.closing.empty() || group.has_particle)
    words.add(group.finite);
  if (order == Order::verb_first || time_leads) subject();
  add_middle(words, clause);
  words.add(group.closing);
}

std::string_view question_word(const Sentence& sentence) {
  switch (sentence.question) {
    case QuestionWord::none:
      return "";
    case QuestionWord::who:
      return "wer";
    case QuestionWord::what:
      return "was";
    case QuestionWord::whom:
      return sentence.first.verb->object_case == Case::dative ? "wem" : "wen";
    case QuestionWord::where:
      return sentence.first.verb->frame == Frame::motion ? "wohin" : "wo";
    case QuestionWord::when:
      return "wann";
    case QuestionWord::why:
      return "warum";
  }
  return "";
}

}  // namespace

std::string german(const Sentence& sentence) {
  Words words;
  switch (sentence.shape) {
    case Shape::statement:
      add_clause(words, sentence.first, Order::verb_second);
      break;
    case Shape::question:
      add_clause(words, sentence.first, Order::verb_first, question_word(sentence));
      return words.finish('?');
    case Shape::subordinate:
      add_clause(words, sentence.first, Order::verb_second);
      words.comma();
      add_clause(words, *sentence.second, Order::verb_last, sentence.conjunction->de);
      break;
    case Shape::subordinate_first:
      add_clause(words, *sentence.second, Order::verb_last, sentence.conjunction->de);
      words.comma();
      add_clause(words, sentence.first, Order::verb_first);
      break;
    case Shape::that:
      add_clause(words, sentence.first, Order::verb_second);
      words.comma();
      add_clause(words, *sentence.second, Order::verb_last,
                 sentence.first.verb->en == "ask" ? "ob" : "dass");
      break;
    case Shape::coordinated:
      add_clause(words, sentence.first, Order::verb_second);
      words.add("und");
      add_clause(words, *sentence.second, Order::verb_second);
      break;
    case Shape::adversative:
      add_clause(words, sentence.first, Order::verb_second);
      words.comma();
      words.add("aber");
      add_clause(words, *sentence.second, Order::verb_second);
      break;
    case Shape::sequence:
      add_clause(words, sentence.first, Order::verb_second);
      words.add("und");
      add_clause(words, *sentence.second, Order::elided);
      break;
  }
  return words.finish('.');
}

}  // namespace attend::demo
