// Samples noun phrases and clauses for the demo's sentences. Combinations that would be odd or
// ambiguous in English or German are excluded, with a comment at each place. Private to
// sampler.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "attend/core/random/random.h"
#include "attend/demo/grammar.h"

namespace attend::demo {

class ClauseSampler {
 public:
  explicit ClauseSampler(Random& random) : random_(random) {}

 protected:
  bool chance(int percent) { return random_.below(100) < static_cast<std::uint64_t>(percent); }
  std::size_t weighted(std::initializer_list<unsigned> weights) {
    unsigned total = 0;
    for (const unsigned weight : weights) total += weight;
    std::uint64_t rest = random_.below(total);
    std::size_t index = 0;
    for (const unsigned weight : weights) {
      if (rest < weight) return index;
      rest -= weight;
      ++index;
    }
    return 0;
  }
  template <class T>
  const T& any(std::span<const T> items) {
    return items[random_.below(items.size())];
  }
  // A random item accepted by `accept`; nullptr if there is none.
  template <class T, class Accept>
  const T* any_where(std::span<const T> items, const Accept& accept) {
    std::vector<const T*> accepted;
    for (const T& item : items) {
      if (accept(item)) accepted.push_back(&item);
    }
    return accepted.empty() ? nullptr : accepted[random_.below(accepted.size())];
  }

  // ---- noun phrases

  NounPhrase pronoun(Referent referent) {
    NounPhrase phrase;
    phrase.referent = referent;
    return phrase;
  }
  // I, we, he, she or they.
  NounPhrase free_pronoun() {
    static constexpr Referent kReferents[] = {
        {Person::first, false, Gender::masculine, Natural::he},
        {Person::first, true, Gender::masculine, Natural::he},
        {Person::third, false, Gender::masculine, Natural::he},
        {Person::third, false, Gender::feminine, Natural::she},
        {Person::third, true, Gender::masculine, Natural::he}};
    return pronoun(any(std::span<const Referent>(kReferents)));
  }

  static Kinds kinds_of(const NounPhrase& phrase) {
    return phrase.is_pronoun() ? kPerson : phrase.noun->kinds;
  }

  void add_adjectives(NounPhrase& phrase, int percent) {
    const auto fits = [&](const Adjective& a) { return (a.kinds & phrase.noun->kinds) != 0; };
    if (!chance(percent)) return;
    const Adjective* adjective = any_where(adjectives(), fits);
    if (adjective) phrase.adjectives.push_back(adjective);
  }

  // "the old man", "my sister", as in "the old man's dog".
  NounPhrase owner() {
    NounPhrase phrase;
    phrase.noun = any_where(nouns(), [](const Noun& n) { return (n.kinds & kPerson) != 0; });
    phrase.determiner = chance(60) ? Determiner::definite : Determiner::possessive;
    phrase.referent = {Person::first, chance(30), Gender::masculine, Natural::he};
    if (phrase.determiner == Determiner::definite) add_adjectives(phrase, 25);
    return phrase;
  }

  struct PhraseOptions {
    const Referent* possessor = nullptr;  // for his, her, its, their: the subject of the clause
    // In a negated clause: no number, "many" or "every", whose scope would be unclear.
    bool scoped = false;
  };

  NounPhrase phrase(Kinds kinds, PhraseOptions options) {
    NounPhrase result;
    result.noun = any_where(nouns(), [&](const Noun& n) { return (n.kinds & kinds) != 0; });
    if (result.noun->mass()) {
      result.determiner = chance(60) ? Determiner::none : Determiner::definite;
      add_adjectives(result, 30);
      return result;
    }
    const unsigned counted = options.scoped ? 0 : 1;
    switch (weighted({52, 18, 8, 3 * counted, 2 * counted, 3 * counted, 5 * counted, 8, 5})) {
      case 0:
        result.determiner = Determiner::definite;
        result.plural = chance(22);
        break;
      case 1:
        result.determiner = Determiner::indefinite;
        break;
      case 2:
        result.determiner = Determiner::demonstrative;
        result.plural = chance(25);
        break;
      case 3:
        result.determiner = Determiner::every;
        break;
      case 4:
        result.determiner = Determiner::all;
        result.plural = true;
        break;
      case 5:
        result.determiner = Determiner::many;
        result.plural = true;
        break;
      case 6:
        result.determiner = Determiner::number;
        result.number = &any(numbers());
        result.plural = true;
        break;
      case 7:
        result.determiner = Determiner::possessive;
        result.plural = chance(20);
        result.referent = {Person::first, chance(35), Gender::masculine, Natural::he};
        if (options.possessor && chance(60)) result.referent = *options.possessor;
        break;
      default:
        result.determiner = Determiner::owner;
        result.plural = chance(15);
        result.owner = std::make_shared<NounPhrase>(owner());
        break;
    }
    add_adjectives(result, result.determiner == Determiner::owner ? 15 : 38);
    if (result.adjectives.size() == 1 && chance(8)) {
      const Adjective* first = result.adjectives.front();
      add_adjectives(result, 100);
      if (result.adjectives.back() == first) result.adjectives.resize(1);
    }
    return result;
  }

  NounPhrase subject(Kinds kinds, int pronouns, bool scoped) {
    if ((kinds & kPerson) != 0 && chance(pronouns)) return free_pronoun();
    return phrase(kinds, {nullptr, scoped});
  }

  // ---- clauses

  struct ClauseOptions {
    const NounPhrase* subject = nullptr;  // given; null: sampled
    Kinds subject_kinds = kPerson;        // of the given subject
    unsigned tenses = kInAny;
    bool may_negate = true;
    bool adverbs = true;
    bool time_first = false;  // an adverb of time may open the clause
    bool prepositions = true;
    int pronouns = 25;  // percent of sampled subjects
    bool relatives = false;
  };

  Tense tense(unsigned allowed) {
    static constexpr Tense kTenses[] = {Tense::present, Tense::past, Tense::future, Tense::modal};
    for (;;) {
      const Tense drawn = kTenses[weighted({42, 28, 12, 18})];
      if (bit(drawn) & allowed) return drawn;
    }
  }

  // A verb for such a subject; a thing can only be something or somewhere. Narrows the tenses to
  // those the verb can express.
  const Verb* verb(Kinds subject_kinds, unsigned& tenses) {
    if ((subject_kinds & kLiving) == 0 || ((tenses & (kInPresent | kInPast)) != 0 && chance(14))) {
      tenses &= kInPresent | kInPast;
      return &copula();
    }
    const Verb* drawn = any_where(verbs(), [&](const Verb& v) {
      if (v.frame == Frame::clausal || (v.subject & subject_kinds) == 0) return false;
      return v.en != v.en_past || (tenses & ~kInPast) != 0;
    });
    if (drawn->en == drawn->en_past) tenses &= ~kInPast;  // "I read", "they put": ambiguous
    return drawn;
  }

  Clause clause(const ClauseOptions& options) {
    Clause c;
    unsigned tenses = options.tenses;
    c.verb = verb(options.subject ? options.subject_kinds : kLiving, tenses);
    set_tense(c, tenses, options.may_negate);
    const bool copular = c.verb->frame == Frame::copula;
    if (options.subject) {
      c.subject = *options.subject;
    } else {
      c.subject = subject(copular ? kSolid : c.verb->subject, options.pronouns, c.negated);
    }
    complete(c, options);
    return c;
  }

  void set_tense(Clause& c, unsigned tenses, bool may_negate) {
    c.tense = tense(tenses);
    c.negated = may_negate && chance(16);
    if (c.tense == Tense::modal)
      c.modal = any_where(modals(), [&](const Modal& m) { return m.negatable || !c.negated; });
  }

  // Objects, predicate, prepositional phrase, adverbs and relative clauses.
  void complete(Clause& c, const ClauseOptions& options) {
    const Referent possessor = referent_of(c.subject);
    switch (c.verb->frame) {
      case Frame::copula:
        complete_copula(c, options);
        break;
      case Frame::transitive:
        c.object = object(c, possessor, 14);
        if (options.prepositions && chance(14))
          add_prepositional(c, locative_prepositions(), possessor);
        break;
      case Frame::ditransitive:
        c.indirect = chance(25) ? object_pronoun(c.subject) : phrase(kPerson, {&possessor, true});
        c.object = object(c, possessor, 0);
        break;
      case Frame::motion:
        add_prepositional(c, directional_prepositions(), possessor);
        break;
      case Frame::intransitive:
        if (options.prepositions && chance(55)) {
          add_prepositional(
              c, c.verb->social && chance(60) ? personal_prepositions() : locative_prepositions(),
              possessor);
        }
        break;
      case Frame::clausal:
        break;
    }
    if (options.adverbs) add_adverb(c, options.time_first);
    if (options.relatives) add_relative(c);
  }

  void complete_copula(Clause& c, const ClauseOptions& options) {
    const Kinds kinds = options.subject ? options.subject_kinds : kinds_of(c.subject);
    const Kinds movable = kLiving | kThing | kClothes | kReadable | kVehicle;
    if (options.prepositions && (kinds & movable) != 0 && chance(30)) {
      add_prepositional(c, locative_prepositions(), referent_of(c.subject));
      return;
    }
    c.predicate =
        any_where(adjectives(), [&](const Adjective& a) { return (a.kinds & kinds) != 0; });
    c.very = chance(20);
  }

  // me, him, her, us or them; not the first person twice ("I see me").
  NounPhrase object_pronoun(const NounPhrase& of) {
    for (;;) {
      NounPhrase drawn = free_pronoun();
      const bool both_first = of.is_pronoun() && of.referent.person == Person::first &&
                              drawn.referent.person == Person::first;
      if (!both_first) return drawn;
    }
  }

  NounPhrase object(const Clause& c, const Referent& possessor, int pronouns) {
    if ((c.verb->object & kPerson) != 0 && chance(pronouns)) return object_pronoun(c.subject);
    return phrase(c.verb->object, {&possessor, c.negated});
  }

  void add_prepositional(Clause& c, std::span<const Preposition> prepositions,
                         const Referent& possessor) {
    c.preposition = &any(prepositions);
    if ((c.preposition->object & kPerson) != 0 && chance(30)) {
      c.prepositional = object_pronoun(c.subject);
    } else {
      c.prepositional = phrase(c.preposition->object, {&possessor, c.negated});
    }
  }

  void add_adverb(Clause& c, bool time_first) {
    const auto fits = [&](const Adverb& a) { return (a.tenses & bit(c.tense)) != 0; };
    if (chance(time_first ? 34 : 15)) {
      c.time = any_where(times(), fits);
      c.time_first = time_first && chance(65);
    } else if (!c.negated && (c.tense != Tense::modal || c.modal->takes_mid) && chance(14)) {
      c.frequency = any_where(frequencies(), fits);
    }
  }

  // Adds a relative clause to the subject, or to an object that ends both the English and the
  // German clause.
  void add_relative(Clause& c) {
    const bool closed = c.tense != Tense::present || !c.verb->particle.empty() || c.preposition ||
                        c.time || c.negated;
    const auto open = [](const NounPhrase& p) {
      return !p.is_pronoun() && p.determiner == Determiner::definite &&
             (p.noun->kinds & (kLiving | kGoods)) != 0;
    };
    if (open(c.subject) && chance(16)) {
      c.subject.relative = relative(c.subject);
    } else if (!closed && c.object && open(*c.object) && chance(30)) {
      c.object->relative = relative(*c.object);
    }
  }

  std::shared_ptr<const Clause> relative(const NounPhrase& head) {
    NounPhrase gap;
    gap.noun = head.noun;
    gap.plural = head.plural;
    ClauseOptions options;
    options.tenses = kInPresent | kInPast;
    options.adverbs = false;
    options.may_negate = false;
    Clause c;
    if ((head.noun->kinds & kLiving) != 0 && chance(65)) {
      options.subject = &gap;
      options.subject_kinds = head.noun->kinds;
      c = clause(options);
      c.gap = Gap::subject;
    } else {
      c = clause_with_object(gap);
      c.gap = Gap::object;
    }
    return std::make_shared<Clause>(std::move(c));
  }

  // "(the book) that the woman bought"
  Clause clause_with_object(const NounPhrase& gap) {
    Clause c;
    c.verb = any_where(verbs(), [&](const Verb& v) {
      return v.frame == Frame::transitive && (v.object & gap.noun->kinds) != 0 && v.en != v.en_past;
    });
    c.tense = tense(kInPresent | kInPast);
    c.subject = subject(c.verb->subject, 40, false);
    c.object = gap;
    return c;
  }

 private:
  Random& random_;
};

}  // namespace attend::demo
