#include "attend/inspect/drawn_text.h"

#include <gtest/gtest.h>

#include <set>

#include "attend/error.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/translation/engine.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const std::vector<std::string> kDrawnSource{"the old dog"};

TEST(DrawnText, IsTheSampleOfTheTranslator) {
  const TranslationModel model = small_model();
  const TranslationEngine translator(model);
  TranslationOptions options = translator.default_options();
  options.beam = {.n_best = 1};
  options.sampling = SamplingOptions{.temperature = 0.5f, .max_length = 20, .seed = 9};
  options.prefixes = {"eine"};
  const Translation sample = translator.translate(kDrawnSource, options).front();
  const DrawnText drawn = drawn_text(model, {.text = kDrawnSource[0],
                                             .prefix = "eine",
                                             .temperature = 0.5f,
                                             .seed = 9,
                                             .max_tokens = 20});
  EXPECT_EQ(drawn.text, sample.text());
  EXPECT_TRUE(drawn.text.starts_with("eine")) << drawn.text;
  EXPECT_EQ(drawn.log_probability, sample.candidates.front().log_probability);
}

TEST(DrawnText, DependsOnSeedAndTemperature) {
  const TranslationModel model = small_model();
  std::set<std::string> texts;
  for (const std::uint64_t seed : {1, 2, 3})
    for (const float temperature : {0.5f, 1.0f}) {
      const DrawQuestion question{
          .text = kDrawnSource[0], .temperature = temperature, .seed = seed, .max_tokens = 20};
      texts.insert(drawn_text(model, question).text);
      EXPECT_EQ(drawn_text(model, question).text, drawn_text(model, question).text);
    }
  EXPECT_EQ(texts.size(), 6u);
}

TEST(DrawnText, AtTemperature0IsGreedy) {
  const TranslationModel model = small_model();
  const TranslationEngine translator(model);
  TranslationOptions options = translator.default_options();
  options.beam = {.beam_size = 1, .max_length = 20};
  const Translation greedy = translator.translate(kDrawnSource, options).front();
  const DrawQuestion question{.text = kDrawnSource[0], .temperature = 0, .max_tokens = 20};
  const DrawnText drawn = drawn_text(model, question);
  EXPECT_EQ(drawn.text, greedy.text());
  EXPECT_NEAR(drawn.log_probability, greedy.candidates.front().log_probability, 1e-4);
}

TEST(DrawnText, IsTheContinuationOfALanguageModel) {
  const LanguageModel model = small_language_model();
  const GenerationEngine generator(model);
  GenerationOptions options = generator.default_options();
  options.sampling.temperature = 0.8f;
  options.sampling.seed = 5;
  options.one_line = true;
  options.max_tokens = 7;
  const Generation sample = generator.generate("the cat", options);
  const DrawnText drawn =
      drawn_text(model, {.text = "the cat", .temperature = 0.8f, .seed = 5, .max_tokens = 7});
  EXPECT_EQ(drawn.text, sample.text);
  EXPECT_EQ(drawn.log_probability, sample.score);
  EXPECT_EQ(drawn.complete, sample.complete);
}

TEST(DrawnText, SaysWhetherItEnded) {
  const LanguageModel model = small_language_model();
  std::set<bool> complete;
  for (std::uint64_t seed = 1; seed < 40; ++seed)
    complete.insert(drawn_text(model, {.text = "the cat", .seed = seed, .max_tokens = 6}).complete);
  EXPECT_EQ(complete.size(), 2u);
  TranslationModel translator = small_model();
  complete.clear();
  for (std::uint64_t seed = 1; seed < 40; ++seed)
    complete.insert(
        drawn_text(translator, {.text = kDrawnSource[0], .seed = seed, .max_tokens = 20}).complete);
  EXPECT_EQ(complete.size(), 2u);
}

TEST(DrawnText, RefusesWhatCannotBeDrawn) {
  const TranslationModel model = small_model();
  expect_error<ConfigError>([&] { drawn_text(model, {.text = "dog", .temperature = -1}); },
                            {"temperature", "-1"});
  expect_error<DataError>([] { drawn_text(small_classifier(), {.text = "a film"}); },
                          {"translation", "classification"});
  std::string longest;
  for (int i = 0; i < 20; ++i) longest += "cat ";
  expect_error<DataError>([&] { drawn_text(small_language_model(), {.text = longest}); },
                          {"context"});
}

}  // namespace
}  // namespace attend
