#include "attend/demo/sampler.h"

#include <utility>

#include "attend/demo/clause_sampler.h"

namespace attend::demo {
namespace {

// Samples whole sentences: one clause, or two and their connection.
class Sampler : private ClauseSampler {
 public:
  using ClauseSampler::ClauseSampler;

  Sentence sentence() {
    switch (weighted({46, 12, 14, 6, 8, 4, 4, 6})) {
      case 0:
        return statement();
      case 1:
        return question();
      case 2:
        return subordinate(Shape::subordinate);
      case 3:
        return subordinate(Shape::subordinate_first);
      case 4:
        return that();
      case 5:
        return joined(Shape::coordinated);
      case 6:
        return joined(Shape::adversative);
      default:
        return sequence();
    }
  }

 private:
  Sentence statement() {
    Sentence s;
    ClauseOptions options;
    options.time_first = true;
    options.relatives = true;
    s.first = clause(options);
    return s;
  }

  Sentence question() {
    Sentence s;
    s.shape = Shape::question;
    ClauseOptions options;
    options.may_negate = false;
    options.tenses = kInAny;
    s.question = static_cast<QuestionWord>(weighted({50, 8, 10, 8, 8, 8, 8}));
    if (s.question == QuestionWord::what || s.question == QuestionWord::whom) {
      s.first = object_question(s.question == QuestionWord::whom ? kPerson : kGoods);
    } else if (s.question == QuestionWord::who) {
      const NounPhrase who = pronoun({Person::third, false, Gender::masculine, Natural::he});
      options.subject = &who;
      options.adverbs = false;
      s.first = clause(options);
      s.first.gap = Gap::subject;
    } else {
      options.adverbs = s.question == QuestionWord::none || s.question == QuestionWord::why;
      options.prepositions = s.question != QuestionWord::where;
      do {
        s.first = clause(options);
      } while (s.question == QuestionWord::where && s.first.verb->frame == Frame::copula);
      if (s.question == QuestionWord::where) s.first.preposition = nullptr;
    }
    return s;
  }

  Clause object_question(Kinds kinds) {
    Clause c;
    c.verb = any_where(verbs(), [&](const Verb& v) {
      return v.frame == Frame::transitive && (v.object & kinds) != 0 && v.en != "have" &&
             v.en_particle.empty();
    });
    c.tense = tense(kInAny);
    if (c.tense == Tense::modal) c.modal = &any(modals());
    c.subject = subject(c.verb->subject, 30, false);
    c.object = c.subject;
    c.gap = Gap::object;
    if (chance(20)) add_adverb(c, false);
    c.frequency = nullptr;
    return c;
  }

  // The second clause, in one of `tenses`, is often about the subject of the first: "because he is
  // tired".
  ClauseOptions second_clause(const Sentence& s, NounPhrase& anaphor, unsigned tenses) {
    ClauseOptions options;
    options.tenses = tenses;
    options.pronouns = 0;  // "he" would be read as the first clause's subject
    const Kinds kinds = kinds_of(s.first.subject);
    const bool possible = (kinds & kLiving) != 0 || (tenses & (kInPresent | kInPast)) != 0;
    if (possible && chance(60)) {
      anaphor = pronoun(referent_of(s.first.subject));
      options.subject = &anaphor;
      options.subject_kinds = kinds;
    }
    return options;
  }

  Sentence subordinate(Shape shape) {
    Sentence s;
    s.shape = shape;
    const bool leads = shape == Shape::subordinate_first;
    ClauseOptions first;
    first.adverbs = leads;
    first.prepositions = leads || chance(30);
    s.first = clause(first);
    const unsigned tenses =
        s.first.tense == Tense::past ? kInPast : kInPresent | (chance(50) ? kInModal : 0);
    s.conjunction = any_where(conjunctions(), [&](const Conjunction& c) {
      return (c.tenses & tenses) != 0 && (c.may_lead || !leads);
    });
    NounPhrase anaphor;
    ClauseOptions second = second_clause(s, anaphor, tenses & s.conjunction->tenses);
    second.adverbs = !leads && chance(30);
    second.prepositions = chance(40);
    s.second = clause(second);
    if (leads && second.subject) std::swap(s.first.subject, s.second->subject);
    return s;
  }

  Sentence that() {
    Sentence s;
    s.shape = Shape::that;
    s.first.verb = any_where(verbs(), [](const Verb& v) { return v.frame == Frame::clausal; });
    s.first.tense = tense(kInPresent | kInPast);
    s.first.subject = subject(kPerson, 35, false);
    NounPhrase anaphor;
    ClauseOptions second =
        second_clause(s, anaphor, s.first.tense == Tense::past ? kInPast : kInAny);
    second.adverbs = chance(60);
    second.prepositions = chance(60);
    s.second = clause(second);
    return s;
  }

  Sentence joined(Shape shape) {
    Sentence s;
    s.shape = shape;
    ClauseOptions options;
    options.prepositions = false;
    options.adverbs = false;
    s.first = clause(options);
    options.tenses = bit(s.first.tense);
    options.pronouns = 0;
    s.second = clause(options);
    return s;
  }

  Sentence sequence() {
    Sentence s;
    s.shape = Shape::sequence;
    const auto plain = [](const Verb& v) {
      return v.frame == Frame::transitive && (v.object & kGoods) != 0 && v.preterite.empty() &&
             !v.sein && v.en != v.en_past;
    };
    Clause& first = s.first;
    first.verb = any_where(verbs(), plain);
    first.tense = tense(kInAny);
    if (first.tense == Tense::modal) first.modal = &any(modals());
    first.subject = subject(first.verb->subject & kPerson, 25, false);
    const Referent possessor = referent_of(first.subject);
    first.object = phrase(first.verb->object & kGoods, {&possessor, false});
    if (chance(40)) add_adverb(first, true);
    first.frequency = nullptr;
    if (first.time) first.time_first = true;
    Clause second = first;
    second.time = nullptr;
    second.verb = any_where(verbs(), [&](const Verb& v) {
      return plain(v) && &v != first.verb && (v.object & first.object->noun->kinds) != 0;
    });
    if (!second.verb) return sequence();
    second.object = pronoun(referent_of(*first.object));
    s.second = second;
    return s;
  }
};

}  // namespace

Sentence sample_sentence(Random& random) { return Sampler(random).sentence(); }

}  // namespace attend::demo
