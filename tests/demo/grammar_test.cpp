// Sentences built by hand and their expected spellings: one per phenomenon of the grammar.
#include "attend/demo/grammar.h"

#include <gtest/gtest.h>

#include "attend/demo/declension.h"

namespace attend::demo {
namespace {

template <class T>
const T& find(std::span<const T> items, std::string_view en, std::string_view de = "") {
  for (const T& item : items) {
    if (item.en == en && (de.empty() || item.de == de)) return item;
  }
  throw std::runtime_error("no such word: " + std::string(en));
}

NounPhrase the(std::string_view noun,
               std::initializer_list<std::string_view> adjectives_before = {}) {
  NounPhrase phrase;
  phrase.noun = &find(nouns(), noun);
  phrase.determiner = Determiner::definite;
  for (const std::string_view adjective : adjectives_before)
    phrase.adjectives.push_back(&find(adjectives(), adjective));
  return phrase;
}
NounPhrase a(std::string_view noun,
             std::initializer_list<std::string_view> adjectives_before = {}) {
  NounPhrase phrase = the(noun, adjectives_before);
  phrase.determiner = Determiner::indefinite;
  return phrase;
}
NounPhrase plural(NounPhrase phrase) {
  phrase.plural = true;
  return phrase;
}
NounPhrase pronoun(const NounPhrase& of) {
  NounPhrase phrase;
  phrase.referent = referent_of(of);
  return phrase;
}
NounPhrase first_person(bool plural_too) {
  NounPhrase phrase;
  phrase.referent = {Person::first, plural_too, Gender::masculine, Natural::he};
  return phrase;
}

Clause clause(const NounPhrase& subject, std::string_view verb,
              std::optional<NounPhrase> object = {}, Tense tense = Tense::present) {
  Clause c;
  c.subject = subject;
  c.verb = verb == "be" ? &copula() : &find(verbs(), verb);
  c.object = std::move(object);
  c.tense = tense;
  return c;
}
Clause is(const NounPhrase& subject, std::string_view adjective, Tense tense = Tense::present) {
  Clause c = clause(subject, "be", {}, tense);
  c.predicate = &find(adjectives(), adjective);
  return c;
}
Sentence statement(Clause first) {
  Sentence s;
  s.first = std::move(first);
  return s;
}
Sentence joined(Shape shape, Clause first, Clause second, std::string_view conjunction = "",
                std::string_view german_conjunction = "") {
  Sentence s = statement(std::move(first));
  s.shape = shape;
  s.second = std::move(second);
  if (!conjunction.empty()) s.conjunction = &find(conjunctions(), conjunction, german_conjunction);
  return s;
}
void expect(const Sentence& sentence, const char* en, const char* de) {
  EXPECT_EQ(english(sentence), en);
  EXPECT_EQ(german(sentence), de);
}

TEST(DemoGrammar, InflectsArticlesAndAdjectivesForGenderAndCase) {
  expect(statement(clause(the("dog", {"old"}), "see", the("cat", {"small"}))),
         "The old dog sees the small cat.", "Der alte Hund sieht die kleine Katze.");
  expect(statement(clause(a("man", {"old"}), "see", a("dog", {"small"}))),
         "An old man sees a small dog.", "Ein alter Mann sieht einen kleinen Hund.");
  expect(statement(clause(a("child", {"tired"}), "help", the("woman", {"sick"}))),
         "A tired child helps the sick woman.", "Ein müdes Kind hilft der kranken Frau.");
  expect(statement(clause(plural(the("boy", {"young"})), "help", plural(the("dog", {"old"})))),
         "The young boys help the old dogs.", "Die jungen Jungen helfen den alten Hunden.");
}

TEST(DemoGrammar, InflectsWeakNouns) {
  expect(statement(clause(the("student"), "see", the("boy"))), "The student sees the boy.",
         "Der Student sieht den Jungen.");
  EXPECT_EQ(declined_noun(find(nouns(), "bear"), false, Case::genitive), "Bären");
  EXPECT_EQ(declined_noun(find(nouns(), "man"), false, Case::genitive), "Mannes");
  EXPECT_EQ(declined_noun(find(nouns(), "car"), true, Case::dative), "Autos");
}

TEST(DemoGrammar, InflectsNumbersMassNounsAndPossessives) {
  NounPhrase three = plural(the("dog", {"old"}));
  three.determiner = Determiner::number;
  three.number = &find(numbers(), "three");
  NounPhrase water = the("water", {"cold"});
  water.determiner = Determiner::none;
  expect(statement(clause(three, "drink", water)), "Three old dogs drink cold water.",
         "Drei alte Hunde trinken kaltes Wasser.");
  NounPhrase her_hat = the("hat", {"red"});
  her_hat.determiner = Determiner::possessive;
  her_hat.referent = referent_of(the("girl"));
  expect(statement(clause(the("girl"), "see", her_hat)), "The girl sees her red hat.",
         "Das Mädchen sieht seinen roten Hut.");
}

TEST(DemoGrammar, PutsTheOwnerInTheGenitive) {
  NounPhrase dog = the("dog");
  dog.determiner = Determiner::owner;
  dog.owner = std::make_shared<NounPhrase>(the("man", {"old"}));
  expect(statement(clause(dog, "sleep")), "The old man's dog sleeps.",
         "Der Hund des alten Mannes schläft.");
}

TEST(DemoGrammar, ConjugatesByPersonAndNumber) {
  expect(statement(clause(first_person(false), "see", the("dog"))), "I see the dog.",
         "Ich sehe den Hund.");
  expect(statement(clause(first_person(true), "see", the("dog"))), "We see the dog.",
         "Wir sehen den Hund.");
  expect(statement(is(first_person(false), "tired")), "I am tired.", "Ich bin müde.");
  expect(statement(is(plural(the("man")), "tired", Tense::past)), "The men were tired.",
         "Die Männer waren müde.");
}

TEST(DemoGrammar, PutsParticipleAndInfinitiveLast) {
  expect(statement(clause(the("man"), "buy", a("book"), Tense::past)), "The man bought a book.",
         "Der Mann hat ein Buch gekauft.");
  expect(statement(clause(the("man"), "arrive", {}, Tense::past)), "The man arrived.",
         "Der Mann ist angekommen.");
  expect(statement(clause(the("man"), "call", the("doctor"), Tense::future)),
         "The man will call the doctor.", "Der Mann wird den Arzt anrufen.");
  Clause wants = clause(the("man"), "buy", the("coat"), Tense::modal);
  wants.modal = &find(modals(), "want to");
  expect(statement(wants), "The man wants to buy the coat.", "Der Mann will den Mantel kaufen.");
}

TEST(DemoGrammar, SeparatesParticles) {
  expect(statement(clause(the("woman"), "call", the("teacher"))), "The woman calls the teacher.",
         "Die Frau ruft den Lehrer an.");
  expect(statement(clause(the("woman"), "pick", pronoun(the("man")))), "The woman picks him up.",
         "Die Frau holt ihn ab.");
  expect(joined(Shape::subordinate, clause(the("man"), "laugh"),
                clause(the("woman"), "call", pronoun(the("man"))), "because"),
         "The man laughs because the woman calls him.",
         "Der Mann lacht, weil die Frau ihn anruft.");
}

TEST(DemoGrammar, OrdersSubordinateClauses) {
  const NounPhrase cow = the("cow");
  expect(joined(Shape::subordinate, clause(cow, "sleep"), is(pronoun(cow), "tired"), "because"),
         "The cow sleeps because it is tired.", "Die Kuh schläft, weil sie müde ist.");
  expect(joined(Shape::subordinate_first, clause(the("man"), "read", a("book")),
                clause(the("child"), "sleep"), "when", "wenn"),
         "When the child sleeps, the man reads a book.",
         "Wenn das Kind schläft, liest der Mann ein Buch.");
  expect(joined(Shape::that, clause(the("boy"), "say"),
                clause(the("queen"), "eat", the("cake"), Tense::past)),
         "The boy says that the queen ate the cake.",
         "Der Junge sagt, dass die Königin den Kuchen gegessen hat.");
}

TEST(DemoGrammar, InvertsAfterAnAdverb) {
  Clause goes = clause(the("man"), "go");
  goes.preposition = &find(directional_prepositions(), "into");
  goes.prepositional = the("house");
  goes.time = &find(times(), "today");
  goes.time_first = true;
  expect(statement(goes), "Today the man goes into the house.", "Heute geht der Mann ins Haus.");
  goes.time_first = false;
  expect(statement(goes), "The man goes into the house today.", "Der Mann geht heute ins Haus.");
}

TEST(DemoGrammar, Negates) {
  Clause sees = clause(the("man"), "see", the("dog"));
  sees.negated = true;
  expect(statement(sees), "The man does not see the dog.", "Der Mann sieht den Hund nicht.");
  sees.object = a("dog", {"old"});
  expect(statement(sees), "The man does not see an old dog.", "Der Mann sieht keinen alten Hund.");
  Clause tired = is(the("man"), "tired", Tense::past);
  tired.negated = true;
  expect(statement(tired), "The man was not tired.", "Der Mann war nicht müde.");
}

TEST(DemoGrammar, Asks) {
  Sentence question = statement(clause(the("man"), "see", the("dog"), Tense::past));
  question.shape = Shape::question;
  expect(question, "Did the man see the dog?", "Hat der Mann den Hund gesehen?");
  question.question = QuestionWord::why;
  expect(question, "Why did the man see the dog?", "Warum hat der Mann den Hund gesehen?");
  question.question = QuestionWord::whom;
  question.first = clause(plural(the("man")), "help", a("dog"));
  question.first.gap = Gap::object;
  expect(question, "Who do the men help?", "Wem helfen die Männer?");
}

TEST(DemoGrammar, FormsRelativeClauses) {
  NounPhrase man = the("man");
  Clause sees = clause(man, "see", the("dog"));
  sees.gap = Gap::subject;
  man.relative = std::make_shared<Clause>(sees);
  expect(statement(clause(man, "sleep")), "The man who sees the dog sleeps.",
         "Der Mann, der den Hund sieht, schläft.");
  NounPhrase dog = the("dog");
  Clause bought = clause(the("woman"), "buy", dog, Tense::past);
  bought.gap = Gap::object;
  dog.relative = std::make_shared<Clause>(bought);
  expect(statement(clause(the("man"), "see", dog)), "The man sees the dog that the woman bought.",
         "Der Mann sieht den Hund, den die Frau gekauft hat.");
}

TEST(DemoGrammar, RefersBackInTheGenderOfTheNoun) {
  const auto sequence = [](std::string_view noun) {
    return joined(Shape::sequence, clause(the("man"), "buy", the(noun), Tense::past),
                  clause(the("man"), "eat", pronoun(the(noun)), Tense::past));
  };
  expect(sequence("cake"), "The man bought the cake and ate it.",
         "Der Mann hat den Kuchen gekauft und ihn gegessen.");
  expect(sequence("banana"), "The man bought the banana and ate it.",
         "Der Mann hat die Banane gekauft und sie gegessen.");
  expect(sequence("egg"), "The man bought the egg and ate it.",
         "Der Mann hat das Ei gekauft und es gegessen.");
}

TEST(DemoGrammar, GivesToSomebody) {
  Clause gives = clause(the("mother"), "give", a("book", {"new"}));
  gives.indirect = the("child");
  expect(statement(gives), "The mother gives the child a new book.",
         "Die Mutter gibt dem Kind ein neues Buch.");
}

}  // namespace
}  // namespace attend::demo
