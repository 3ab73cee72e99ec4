#include "attend/tasks/translation/term_places.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

TranslationOptions with_glossary(const Texts& terms) {
  TranslationOptions options = beam_of(2);
  options.glossary = terms;
  options.beam.max_length = 40;
  return options;
}

Hypothesis hypothesis_of(const Translation& translation) {
  const TranslationCandidate& best = translation.candidates.front();
  Hypothesis hypothesis;
  hypothesis.ids = target_ids(translator().model(), best);
  hypothesis.token_scores = best.token_scores;
  hypothesis.log_probability = best.log_probability;
  hypothesis.score = best.score;
  hypothesis.end = best.end;
  return hypothesis;
}

// As if the model had written this for any sentence, which it finds unlikely.
Hypothesis usual(const std::string& text = "der alte hund sieht die katze") {
  Hypothesis hypothesis;
  hypothesis.ids = translator().model().tgt_tokenizer.encode(text);
  hypothesis.token_scores.assign(hypothesis.ids.size() + 1, -50);
  hypothesis.end = translator().model().special().eos;
  return hypothesis;
}

SourceSentence sentence_of(const std::string& text, const TranslationOptions& options) {
  return translator().sentences(Texts{text}, options).front();
}

// With tokens before its end that are even less likely.
Hypothesis with_term_at_end(Hypothesis hypothesis, const std::string& term) {
  for (const std::int32_t id : translator().model().tgt_tokenizer.encode(term)) {
    hypothesis.ids.push_back(id);
    hypothesis.token_scores.insert(hypothesis.token_scores.end() - 1, -100);
  }
  return hypothesis;
}

bool contains(const std::vector<std::int32_t>& ids, const std::string& text) {
  const auto part = translator().model().tgt_tokenizer.encode(text);
  return std::search(ids.begin(), ids.end(), part.begin(), part.end()) != ids.end();
}

TEST(TermPlaces, AreWhereTheTranslationHasTheUsualWord) {
  const TranslationOptions options = with_glossary({"dog\tfisch"});
  int placed = 0;
  for (const std::string& text : random_sentences(200)) {
    if ((" " + text + " ").find(" dog ") == text.npos) continue;
    const SourceSentence sentence = sentence_of(text, options);
    const Hypothesis found = with_term_at_end(usual(), "fisch");
    ASSERT_TRUE(has_unlikely_terms(sentence, found));
    const auto better = with_terms_in_place(translator().ensemble(), sentence, found, usual());
    if (!better) continue;  // two places of the term have the same word
    ++placed;
    EXPECT_TRUE(contains(better->ids, "fisch")) << text;
    const std::string after = translator().model().tgt_tokenizer.decode(better->ids);
    EXPECT_EQ(after.find("katze fisch"), after.npos) << "it replaces a word";
    const SequenceScore score = translator().score(Texts{text}, Texts{after}).front();
    EXPECT_EQ(better->token_scores, score.token_scores);
    EXPECT_EQ(better->log_probability, score.log_probability);
  }
  EXPECT_GE(placed, 5);
}

TEST(TermPlaces, StayWhereTheOtherWordsAreMuchLikelier) {
  const std::string text = "the old dog sees the cat";
  const SourceSentence sentence = sentence_of(text, with_glossary({"dog\tfisch"}));
  Hypothesis found = with_term_at_end(usual(), "fisch");
  EXPECT_TRUE(with_terms_in_place(translator().ensemble(), sentence, found, usual()));
  for (float& score : found.token_scores) score /= 1000;
  EXPECT_FALSE(with_terms_in_place(translator().ensemble(), sentence, found, usual()));
}

TEST(TermPlaces, StayWhereTheUsualWordIsGone) {
  const TranslationOptions options = with_glossary({"dog\tfisch"});
  const std::string text = "the old dog sees the cat";
  const Hypothesis found = with_term_at_end(usual("eine"), "fisch");
  EXPECT_FALSE(
      with_terms_in_place(translator().ensemble(), sentence_of(text, options), found, usual()));
}

TEST(TermPlaces, StayWhereTheModelExpectsThem) {
  const std::string text = "the old dog";
  const SourceSentence sentence = sentence_of(text, with_glossary({"dog\tfisch"}));
  Hypothesis likely = with_term_at_end(usual(), "fisch");
  std::fill(likely.token_scores.begin(), likely.token_scores.end(), -0.5f);
  EXPECT_FALSE(has_unlikely_terms(sentence, likely));
  EXPECT_FALSE(has_unlikely_terms(sentence_of(text, beam_of(2)), likely)) << "no glossary";
}

TEST(TermPlaces, AreNotChangedWhereTheCallTellsHowATranslationBeginsOrIsWatched) {
  TranslationOptions options = with_glossary({"dog\tfisch"});
  const Hypothesis found = with_term_at_end(usual(), "fisch");
  EXPECT_TRUE(has_unlikely_terms(sentence_of("the dog", options), found));
  options.prefixes = {"der"};
  EXPECT_FALSE(has_unlikely_terms(sentence_of("the dog", options), found));
  options.prefixes.clear();
  options.search_listener = [](std::size_t, const BeamStep&) {};
  EXPECT_FALSE(has_unlikely_terms(sentence_of("the dog", options), found));
}

// Some are translated twice, some once, while others join and leave.
TEST(TermPlaces, AreTheSameAloneAndInABatch) {
  TranslationOptions options = with_glossary({"dog\tfisch", "cat\thund|hunde"});
  options.beam.n_best = 2;
  const Texts texts = random_sentences(60);
  int twice = 0;
  std::vector<Translation> alone;
  for (const std::string& text : texts) {
    alone.push_back(translator().translate(Texts{text}, options).front());
    EXPECT_EQ(alone.back().candidates.size(), 2u);
    twice += has_unlikely_terms(sentence_of(text, options), hypothesis_of(alone.back()));
  }
  EXPECT_GE(twice, 1);
  expect_same(translator().translate(texts, options), alone);
}

}  // namespace
}  // namespace attend
