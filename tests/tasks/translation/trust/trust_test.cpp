#include "attend/tasks/translation/trust/trust.h"

#include <gtest/gtest.h>

#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

std::shared_ptr<const TrustCalibration> calibration() {
  TrustCalibration made;
  made.weights = {1, 0, 0, 0};
  made.curve = {{-4, 0.25}, {0, 0.75}};
  made.detached_below = -3;
  made.least_said_by_source = 1;
  made.names = {"Mary", "Tom"};
  return std::make_shared<const TrustCalibration>(made);
}

std::vector<std::string> names(const TranslationTrust& trust) {
  std::vector<std::string> names;
  for (const TranslationFlag& flag : trust.flags) names.push_back(flag.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(TrustOfATranslation, NeedsACalibration) {
  const std::vector<float> scores{-1, -3};
  const TrustJudge plain({}, nullptr), calibrated({}, calibration());
  EXPECT_EQ(plain.of("a dog", "ein Hund", {scores}), TranslationTrust{});
  EXPECT_EQ(calibrated.of("a dog", "ein Hund", {scores}), (TranslationTrust{0.5f, {}}));
  EXPECT_EQ(calibrated.of("a dog", "ein Hund", {}), TranslationTrust{});
}

TEST(TrustOfATranslation, FindsWhatIsTooUnlikely) {
  const std::vector<float> scores{-4, -4}, lower{-4.5, -4.5}, much_lower{-6, -6};
  const TrustJudge judge({}, calibration());
  EXPECT_EQ(names(judge.of("a dog", "ein Hund", {scores})), Names{"detached"});
  EXPECT_EQ(names(judge.of("a dog", "ein Hund", {scores, lower})), Names{"detached"});
  EXPECT_EQ(names(judge.of("a dog", "ein Hund", {scores, much_lower})), Names{});
  EXPECT_EQ(names(judge.of("", "ein Hund", {scores, scores})), Names{});
}

TEST(TrustOfATranslation, FindsOtherNames) {
  const std::vector<float> scores{-1};
  const TrustJudge judge({}, calibration());
  const TranslationTrust trust = judge.of("Tom sleeps.", "Mary schläft.", {scores});
  ASSERT_EQ(names(trust), Names{"names"});
  EXPECT_EQ(trust.flags.front().reason, "Tom is missing; Mary is not in the source");
  EXPECT_EQ(names(judge.of("Tom sleeps.", "Tom schläft.", {scores})), Names{});
}

TEST(TrustSummaryOfTranslations, Counts) {
  TrustSummary summary;
  EXPECT_EQ(summary.text(),
            "0 of 0 translations are flagged; no confidence without attend calibrate");
  summary.add({0.5f, {{"copy", ""}, {"numbers", ""}}});
  summary.add({1.0f, {}});
  summary.add({0.75f, {{"numbers", ""}}});
  EXPECT_EQ(summary.text(),
            "2 of 3 translations are flagged (copy 1, numbers 2); mean confidence 0.75");
}

TranslationEngine calibrated_engine() {
  TranslationModel model = translator().model();
  model.trust = calibration();
  return TranslationEngine(std::move(model));
}

// The same bits alone, in a batch and in a stream.
TEST(TrustInBatches, IsThatOfASentenceAlone) {
  const TranslationEngine engine = calibrated_engine();
  const std::vector<std::string> sentences = random_sentences(40);
  TranslationOptions options = beam_of(3, 2);
  options.trust = true;
  const std::vector<Translation> together = engine.translate(sentences, options);
  std::size_t flagged = 0;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const Translation alone = engine.translate(std::vector{sentences[i]}, options).front();
    expect_same(together[i], alone);
    for (std::size_t k = 0; k < alone.candidates.size(); ++k) {
      ASSERT_TRUE(together[i].candidates[k].trust && alone.candidates[k].trust);
      EXPECT_TRUE(alone.candidates[k].trust->confidence);
      EXPECT_EQ(*together[i].candidates[k].trust, *alone.candidates[k].trust);
      flagged += alone.candidates[k].trust->flags.size();
    }
  }
  EXPECT_GT(flagged, 0u);
}

TEST(TrustInBatches, ChangesNothingElse) {
  const TranslationEngine engine = calibrated_engine();
  const std::vector<std::string> sentences = random_sentences(20);
  TranslationOptions options = beam_of(3);
  const std::vector<Translation> plain = engine.translate(sentences, options);
  EXPECT_FALSE(plain.front().candidates.front().trust);
  options.trust = true;
  expect_same(engine.translate(sentences, options), plain);
}

TEST(TrustOfGivenPairs, IsThatOfTheirScores) {
  const TranslationEngine engine = calibrated_engine();
  const std::vector<std::string> sources{"the old dog sees 12 cats", ""}, targets{"der hund", "a"},
      none{"", ""};
  const std::vector<SequenceScore> plain = engine.score(sources, targets),
                                   alone = engine.score(none, targets),
                                   judged = engine.score(sources, targets, {.trust = true});
  EXPECT_FALSE(plain.front().trust);
  const TrustJudge judge({}, calibration());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    ASSERT_TRUE(judged[i].trust);
    EXPECT_EQ(judged[i].token_scores, plain[i].token_scores);
    EXPECT_EQ(*judged[i].trust,
              judge.of(sources[i], targets[i], {plain[i].token_scores, alone[i].token_scores}));
  }
}

// Several models have other probabilities, and other languages other qualities.
TEST(TrustOfOtherModels, HasNoConfidence) {
  const TranslationEngine engine = calibrated_engine();
  const std::vector<const TranslationEngine*> twice{&engine, &engine};
  TranslationOptions options = beam_of(2);
  options.trust = true;
  const auto several =
      TranslationEngine::ensemble_of(twice).translate(std::vector<std::string>{"the dog"}, options);
  ASSERT_TRUE(several.front().candidates.front().trust);
  EXPECT_FALSE(several.front().candidates.front().trust->confidence);
}

TEST(Trust, OfATextHasEachKindOfFlagOnceAndTheMeanConfidence) {
  const std::vector<TranslationTrust> sentences{{.5F, {{"copy", "a"}}},
                                                {1.0F, {{"copy", "b"}, {"length", "c"}}}};
  const TranslationTrust text = trust_of_text(sentences);
  EXPECT_EQ(text, (TranslationTrust{.75F, {{"copy", "a"}, {"length", "c"}}}));
  EXPECT_EQ(trust_of_text(std::vector<TranslationTrust>{{.5F, {}}, {}}).confidence, std::nullopt);
  EXPECT_EQ(trust_of_text({}), TranslationTrust{});
}

TEST(Trust, OfBothModelsHasTheFlagsOfBothAndTheProductOfConfidences) {
  const TranslationTrust first{.5F, {{"copy", "a"}}}, second{.5F, {{"copy", "b"}, {"names", "c"}}};
  EXPECT_EQ(trust_of_both(first, second),
            (TranslationTrust{.25F, {{"copy", "a"}, {"names", "c"}}}));
  EXPECT_EQ(trust_of_both(first, {}).confidence, std::nullopt);
  EXPECT_EQ(trust_of_both({}, second).confidence, std::nullopt);
}

}  // namespace
}  // namespace attend
