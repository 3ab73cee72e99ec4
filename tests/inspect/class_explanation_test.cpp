#include "attend/inspect/class_explanation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/tasks/explanation/attention_maps.h"
#include "core/occurrences.h"
#include "tasks/small_classifier.h"

namespace attend {
namespace {

class WordEffects : public testing::Test {
 protected:
  // What the classifier gives for a text.
  float probability(const std::string& text, std::size_t label) const {
    return classifier_.classify(std::span(&text, 1)).front().probabilities[label];
  }

  const ClassificationEngine classifier_{small_classifier()};
};

TEST_F(WordEffects, AreWhatTheClassifierGivesForTheShortenedText) {
  const std::vector<std::string> shortened{"a  good film ,", "not good film ,", "not a  film ,",
                                           "not a  good ,", "not a  good film"};
  for (std::size_t label = 0; label < classifier_.labels().size(); ++label) {
    const auto effects = word_effects(classifier_, "not a  good film , ", label);
    ASSERT_EQ(effects.size(), shortened.size());
    for (std::size_t i = 0; i < effects.size(); ++i)
      EXPECT_EQ(effects[i].probability_without, probability(shortened[i], label)) << shortened[i];
  }
}

TEST_F(WordEffects, NameTheWordsInOrder) {
  std::vector<std::string> words;
  for (const WordEffect& effect : word_effects(classifier_, " not\ta\u00a0good  film.", 0))
    words.push_back(effect.word);
  EXPECT_EQ(words, (std::vector<std::string>{"not", "a", "good", "film."}));
}

TEST_F(WordEffects, OfWordsThatTheClassifierDoesNotReadAreNone) {
  std::string text = "bad";
  for (int i = 0; i < 60; ++i) text += " good";  // the last twenty tokens are read
  const auto effects = word_effects(classifier_, text, 0);
  EXPECT_EQ(effects.front().probability_without, probability(text, 0));
}

TEST_F(WordEffects, AreUnknownWhereNothingWouldBeLeft) {
  const auto effects = word_effects(classifier_, " good ", 0);
  ASSERT_EQ(effects.size(), 1u);
  EXPECT_EQ(effects[0].word, "good");
  EXPECT_FALSE(effects[0].probability_without);
}

TEST_F(WordEffects, AreRefusedForWhatHasNoWordsOrTooMany) {
  EXPECT_THROW(word_effects(classifier_, " \t", 0), DataError);
  std::string text;
  for (std::size_t i = 0; i < kMostWordsToLeaveOut; ++i) text += "a ";
  EXPECT_EQ(word_effects(classifier_, text, 0).size(), kMostWordsToLeaveOut);
  try {
    word_effects(classifier_, text + "b", 0);
    FAIL() << "a text of one word more";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("at most 1000 words"), std::string::npos);
  }
}

TEST(AttentionEntropy, IsThatOfTheWeights) {
  const AttentionMap uniform{2, 2, {0.5f, 0.5f, 0.5f, 0.5f}}, sharp{2, 2, {1, 0, 0, 1}},
      mixed{2, 2, {0.5f, 0.5f, 1, 0}};
  const AttentionEntropy entropy = attention_entropy({{uniform, sharp}, {mixed, uniform}});
  EXPECT_EQ(entropy.heads, (std::vector<std::vector<double>>{{1, 0}, {0.5, 1}}));
  EXPECT_DOUBLE_EQ(entropy.mean, 2.5 / 4);
  EXPECT_FALSE(entropy.is_nearly_uniform());
  EXPECT_EQ(entropy.summary(), "The entropy of attention is 62 % of the maximum.");
}

TEST(AttentionEntropy, IsRelativeToTheLengthOfTheText) {
  const AttentionMap half{1, 4, {0.5f, 0.5f, 0, 0}}, one{1, 1, {1}};
  EXPECT_DOUBLE_EQ(attention_entropy({{half}}).mean, 0.5);
  EXPECT_DOUBLE_EQ(attention_entropy({{one}}).mean, 1) << "there is nowhere else to look";
}

TEST(AttentionEntropy, IsCalledNearlyUniformFromNineTenthsOn) {
  AttentionEntropy entropy;
  entropy.mean = 0.9;
  EXPECT_TRUE(entropy.is_nearly_uniform());
  EXPECT_EQ(
      entropy.summary(),
      "Attention is nearly uniform: its entropy is 90 % of the maximum. Where the model looks "
      "says little about which words matter.");
  entropy.mean = 0.89;
  EXPECT_FALSE(entropy.is_nearly_uniform());
}

class ExplanationPage : public WordEffects {
 protected:
  std::string page(const ClassifiedText& text) const {
    return attention_page(classifier_.model(), text);
  }
};

TEST_F(ExplanationPage, ShowsTheTextOnceAndEveryWord) {
  const ClassifiedText text = explained_text(classifier_, "not a good film");
  const std::string html = page(text);
  for (const WordEffect& effect : text.effects) {
    const float change = *effect.probability_without - text.classes.probability();
    char expected[200];
    std::snprintf(expected, sizeof expected,
                  "<span class=\"%s\" style=\"--shade: %.3f\" title=\"without it: %.1f %% (%+.1f "
                  "points)\">%s</span>",
                  change <= 0 ? "for" : "against", std::sqrt(std::abs(change)),
                  100 * *effect.probability_without, 100 * change, effect.word.c_str());
    EXPECT_EQ(occurrences(html, expected), 1u) << expected;
  }
  EXPECT_EQ(occurrences(html, "not a good film"), 1u) << "in the title";
  EXPECT_EQ(occurrences(html, "<details>"), 1u);
  EXPECT_EQ(occurrences(html, text.entropy.summary()), 1u);
}

TEST_F(ExplanationPage, HasTheWordsOnlyWhenTheyAreAskedFor) {
  const std::string html = page(classified_text(classifier_, "not a good film"));
  EXPECT_EQ(html.find("class=\"for\""), std::string::npos);
  EXPECT_EQ(html.find("<details>"), std::string::npos);
}

TEST_F(ExplanationPage, ShowsAllClasses) {
  const ClassifiedText text = classified_text(classifier_, "so good");
  const std::string html = page(text);
  std::size_t before = 0;
  std::vector<float> shown = text.classes.probabilities;
  std::sort(shown.rbegin(), shown.rend());
  for (const float probability : shown) {
    char cell[64];
    std::snprintf(cell, sizeof cell, "<td>%.1f %%</td>", 100 * probability);
    const std::size_t found = html.find(cell, before);
    ASSERT_NE(found, std::string::npos) << cell;
    before = found + 1;
  }
  for (const std::string& label : classifier_.labels())
    EXPECT_NE(html.find("<th scope=\"row\" dir=\"auto\">" + label + "</th>"), std::string::npos);
}

TEST_F(ExplanationPage, EscapesWordsAndLabels) {
  ClassificationModel model = small_classifier();
  model.labels = {"<b>", "</script>", "&amp;"};
  const ClassificationEngine classifier(model);
  const std::string html =
      attention_page(classifier.model(), explained_text(classifier, "</script><i> {{data}} \""));
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_NE(html.find(">{{data}}</span>"), std::string::npos);
  EXPECT_NE(html.find(">&amp;amp;</th>"), std::string::npos);
}

}  // namespace
}  // namespace attend
