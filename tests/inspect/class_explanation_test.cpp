#include "attend/inspect/class_explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "attend/error.h"
#include "attend/inspect/attention_page.h"
#include "attend/tasks/explanation/attention_maps.h"
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
  static nlohmann::json recorded(const std::string& page) {
    const std::string before = "<script type=\"application/json\" id=\"recorded\">";
    const std::size_t begin = page.find(before) + before.size();
    return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
  }
  nlohmann::json recorded(const ClassifiedText& text) const {
    return recorded(attention_page(classifier_.model(), text));
  }
};

TEST_F(ExplanationPage, HoldsTheEffectOfEveryWord) {
  const ClassifiedText text = explained_text(classifier_, "not a good film");
  const nlohmann::json shown = recorded(text)["effects"];
  ASSERT_EQ(shown.size(), 4u);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const WordEffect& effect = text.effects[i];
    EXPECT_EQ(shown[i]["word"], effect.word);
    EXPECT_FLOAT_EQ(shown[i]["probability_without"], *effect.probability_without);
    EXPECT_FLOAT_EQ(shown[i]["change"], *effect.probability_without - text.classes.probability());
  }
}

TEST_F(ExplanationPage, KnowsNothingOfTheOnlyWord) {
  const nlohmann::json shown = recorded(explained_text(classifier_, "good"))["effects"];
  EXPECT_EQ(
      shown,
      (nlohmann::json{{{"word", "good"}, {"probability_without", nullptr}, {"change", nullptr}}}));
}

TEST_F(ExplanationPage, HasTheWordsOnlyWhenTheyAreAskedFor) {
  EXPECT_TRUE(recorded(classified_text(classifier_, "not a good film"))["effects"].empty());
}

TEST_F(ExplanationPage, HasAllClassesTheMostProbableFirst) {
  const ClassifiedText text = classified_text(classifier_, "so good");
  const nlohmann::json shown = recorded(text)["answers"]["/explore"]["classes"];
  ASSERT_EQ(shown.size(), classifier_.labels().size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& labels = classifier_.labels();
    const auto label = std::find(labels.begin(), labels.end(), shown[i]["label"]) - labels.begin();
    EXPECT_FLOAT_EQ(shown[i]["probability"],
                    text.classes.probabilities.at(static_cast<std::size_t>(label)));
    if (i > 0) {
      EXPECT_LE(shown[i]["probability"], shown[i - 1]["probability"]);
    }
  }
}

TEST_F(ExplanationPage, EscapesWordsAndLabels) {
  ClassificationModel model = small_classifier();
  model.labels = {"<b>", "</script>", "&amp;"};
  const ClassificationEngine classifier(model);
  const std::string html =
      attention_page(classifier.model(), explained_text(classifier, "</script><i> {{data}} \""));
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_EQ(html.find("<i>"), std::string::npos);
  EXPECT_EQ(recorded(html)["effects"][1]["word"], "{{data}}");
  EXPECT_EQ(recorded(html)["answers"]["/explore"]["classes"].size(), 3u);
}

}  // namespace
}  // namespace attend
