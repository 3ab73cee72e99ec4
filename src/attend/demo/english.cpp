#include <string>

#include "attend/demo/grammar.h"
#include "attend/demo/words.h"

namespace attend::demo {
namespace {

bool third_singular(const NounPhrase& subject) {
  return subject.is_pronoun() ? subject.referent.person == Person::third && !subject.referent.plural
                              : !subject.plural;
}
bool first_singular(const NounPhrase& subject) {
  return subject.is_pronoun() && subject.referent.person == Person::first &&
         !subject.referent.plural;
}

std::string_view by_natural(Natural natural, std::string_view he, std::string_view she,
                            std::string_view it) {
  return natural == Natural::he ? he : natural == Natural::she ? she : it;
}
std::string_view subject_pronoun(const Referent& r) {
  if (r.person == Person::first) return r.plural ? "we" : "I";
  return r.plural ? "they" : by_natural(r.natural, "he", "she", "it");
}
std::string_view object_pronoun(const Referent& r) {
  if (r.person == Person::first) return r.plural ? "us" : "me";
  return r.plural ? "them" : by_natural(r.natural, "him", "her", "it");
}
std::string_view possessive(const Referent& r) {
  if (r.person == Person::first) return r.plural ? "our" : "my";
  return r.plural ? "their" : by_natural(r.natural, "his", "her", "its");
}

void add_clause(Words& words, const Clause& clause);
void add_predicate(Words& words, const Clause& clause);

void add_determiner(Words& words, const NounPhrase& phrase, std::string_view next);

void add_phrase(Words& words, const NounPhrase& phrase, bool object = true) {
  if (phrase.is_pronoun()) {
    words.add(object ? object_pronoun(phrase.referent) : subject_pronoun(phrase.referent));
    return;
  }
  const std::string_view noun = phrase.plural ? phrase.noun->en_plural : phrase.noun->en;
  add_determiner(words, phrase, phrase.adjectives.empty() ? noun : phrase.adjectives.front()->en);
  for (const Adjective* adjective : phrase.adjectives) words.add(adjective->en);
  words.add(noun);
  if (phrase.relative) {
    words.add(phrase.noun->kinds & kPerson ? "who" : "that");
    if (phrase.relative->gap == Gap::subject) {
      add_predicate(words, *phrase.relative);
    } else {
      add_clause(words, *phrase.relative);
    }
  }
}

void add_determiner(Words& words, const NounPhrase& phrase, std::string_view next) {
  switch (phrase.determiner) {
    case Determiner::none:
      return;
    case Determiner::definite:
      return words.add("the");
    case Determiner::indefinite:
      return words.add(std::string_view("aeiou").find(next[0]) != std::string_view::npos ? "an"
                                                                                         : "a");
    case Determiner::demonstrative:
      return words.add(phrase.plural ? "these" : "this");
    case Determiner::every:
      return words.add("every");
    case Determiner::all:
      return words.add("all");
    case Determiner::many:
      return words.add("many");
    case Determiner::number:
      return words.add(phrase.number->en);
    case Determiner::possessive:
      return words.add(possessive(phrase.referent));
    case Determiner::owner:
      add_phrase(words, *phrase.owner);
      return words.append("'s");
  }
}

// A verb group: "sees", "does not see", "will often see", "wants to see". finite() gives the finite
// word alone, for questions; rest() the remainder.
struct EnglishVerbGroup {
  std::string finite;  // "does", "is", "will", "sees"
  std::string rest;    // "see", "want to see"; empty if the finite word is the verb itself
};

EnglishVerbGroup verb_group(const Clause& clause, bool with_do) {
  const Verb& verb = *clause.verb;
  const bool third = third_singular(clause.subject);
  const std::string base(verb.en);
  if (clause.tense == Tense::future) return {"will", base};
  if (clause.tense == Tense::modal) {
    const Modal& modal = *clause.modal;
    const std::string name(modal.en);
    if (modal.plain && with_do) return {third ? "does" : "do", name + " " + base};
    if (modal.plain) return {std::string(third ? modal.en_3sg : modal.en) + " " + base, ""};
    const std::size_t space = name.find(' ');  // "would like to" splits around a subject
    return space == std::string::npos
               ? EnglishVerbGroup{name, base}
               : EnglishVerbGroup{name.substr(0, space), name.substr(space + 1) + " " + base};
  }
  const bool past = clause.tense == Tense::past;
  if (verb.frame == Frame::copula) {
    if (past) return {third || first_singular(clause.subject) ? "was" : "were", ""};
    return {third ? "is" : first_singular(clause.subject) ? "am" : "are", ""};
  }
  if (with_do) return {past ? "did" : third ? "does" : "do", base};
  return {std::string(past ? verb.en_past : third ? verb.en_3sg : verb.en), ""};
}

// Everything after the verb itself.
void add_complements(Words& words, const Clause& clause) {
  const Verb& verb = *clause.verb;
  const bool pronoun_object =
      clause.object && clause.object->is_pronoun() && clause.gap != Gap::object;
  words.add(pronoun_object ? "" : verb.en_particle);
  words.add(verb.en_preposition);
  if (clause.indirect) add_phrase(words, *clause.indirect);
  if (clause.object && clause.gap != Gap::object) add_phrase(words, *clause.object);
  if (pronoun_object) words.add(verb.en_particle);
  if (clause.predicate) {
    if (clause.very) words.add("very");
    words.add(clause.predicate->en);
  }
  if (clause.preposition) {
    words.add(clause.preposition->en);
    add_phrase(words, *clause.prepositional);
  }
  if (clause.time && !clause.time_first) words.add(clause.time->en);
}

void add_predicate(Words& words, const Clause& clause) {
  const bool copula_finite = clause.verb->frame == Frame::copula;
  const EnglishVerbGroup group = verb_group(clause, clause.negated);
  const bool auxiliary = copula_finite || !group.rest.empty();
  if (clause.frequency && !auxiliary) words.add(clause.frequency->en);
  words.add(group.finite);
  if (clause.negated && group.finite == "can") {
    words.append("not");
  } else if (clause.negated) {
    words.add("not");
  }
  if (clause.frequency && auxiliary) words.add(clause.frequency->en);
  words.add(group.rest);
  add_complements(words, clause);
}

void add_clause(Words& words, const Clause& clause) {
  if (clause.time && clause.time_first) words.add(clause.time->en);
  add_phrase(words, clause.subject, false);
  add_predicate(words, clause);
}

std::string_view question_word(QuestionWord word) {
  switch (word) {
    case QuestionWord::none:
      return "";
    case QuestionWord::who:
    case QuestionWord::whom:
      return "who";
    case QuestionWord::what:
      return "what";
    case QuestionWord::where:
      return "where";
    case QuestionWord::when:
      return "when";
    case QuestionWord::why:
      return "why";
  }
  return "";
}

void add_question(Words& words, const Sentence& sentence) {
  words.add(question_word(sentence.question));
  const Clause& clause = sentence.first;
  if (sentence.question == QuestionWord::who) return add_predicate(words, clause);
  const EnglishVerbGroup group = verb_group(clause, true);
  words.add(group.finite);
  add_phrase(words, clause.subject, false);
  if (clause.frequency) words.add(clause.frequency->en);
  words.add(group.rest);
  add_complements(words, clause);
}

// "buys a cake and eats it", "will buy a cake and eat it"
void add_sequence(Words& words, const Clause& second) {
  const bool finite = second.tense == Tense::present || second.tense == Tense::past;
  words.add(finite ? verb_group(second, false).finite : std::string(second.verb->en));
  add_complements(words, second);
}

}  // namespace

std::string english(const Sentence& sentence) {
  Words words;
  const auto conjunction = [&] { return sentence.conjunction->en; };
  switch (sentence.shape) {
    case Shape::statement:
      add_clause(words, sentence.first);
      break;
    case Shape::question:
      add_question(words, sentence);
      return words.finish('?');
    case Shape::subordinate:
      add_clause(words, sentence.first);
      words.add(conjunction());
      add_clause(words, *sentence.second);
      break;
    case Shape::subordinate_first:
      words.add(conjunction());
      add_clause(words, *sentence.second);
      words.append(",");
      add_clause(words, sentence.first);
      break;
    case Shape::that:
      add_clause(words, sentence.first);
      words.add(sentence.first.verb->en == "ask" ? "whether" : "that");
      add_clause(words, *sentence.second);
      break;
    case Shape::coordinated:
      add_clause(words, sentence.first);
      words.add("and");
      add_clause(words, *sentence.second);
      break;
    case Shape::adversative:
      add_clause(words, sentence.first);
      words.append(",");
      words.add("but");
      add_clause(words, *sentence.second);
      break;
    case Shape::sequence:
      add_clause(words, sentence.first);
      words.add("and");
      add_sequence(words, *sentence.second);
      break;
  }
  return words.finish('.');
}

}  // namespace attend::demo
