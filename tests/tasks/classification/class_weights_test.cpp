#include "attend/tasks/classification/class_weights.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tasks/small_classifier.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(ClassWeights, AreOneUnlessNamed) {
  EXPECT_FALSE(class_weights({}, kFilms).defined());
  EXPECT_EQ(class_weights({"so-so=0.5", "bad=3"}, kFilms).to_vector(),
            (std::vector<float>{3.0f, 1.0f, 0.5f}));
}

TEST(ClassWeights, BalanceTheClasses) {
  // 3 bad, 3 fine, 2 so-so of 8: 8 / 3 classes / 3 texts.
  const std::vector<float> weights = class_weights({"balanced"}, kFilms).to_vector();
  EXPECT_FLOAT_EQ(weights[0], 8.0f / 9.0f);
  EXPECT_FLOAT_EQ(weights[2], 8.0f / 6.0f);
}

TEST(ClassWeights, BalanceOnlyTheClassesThatOccur) {
  const LabeledText texts{{"bad", "fine", "so-so"}, {"a bad film", "so good", "bad"}, {0, 2, 0}};
  EXPECT_EQ(class_weights({"balanced"}, texts).to_vector(),
            (std::vector<float>{0.75f, 1.0f, 1.5f}));
  expect_error<ConfigError>(
      [&] {
        class_weights({"bad=0", "so-so=0"}, texts);
      },
      {"class_weights", "above 0", "none"});
}

TEST(ClassWeights, MustBeNumbersForLabelsThatThereAre) {
  expect_error<ConfigError>([] { class_weights({"bad"}, kFilms); },
                            {"class_weights", "label=number", "bad"});
  expect_error<ConfigError>([] { class_weights({"bad=x"}, kFilms); },
                            {"class_weights: bad: expected a number from 0 to 1000000, got x"});
  expect_error<ConfigError>([] { class_weights({"bad=-1"}, kFilms); },
                            {"class_weights: bad", "-1"});
  expect_error<ConfigError>([] { class_weights({"bad="}, kFilms); },
                            {"class_weights: bad", "got nothing"});
  for (const char* number : {"1e999", "inf", "nan", "1e7", "0x1", "1 "})
    expect_error<ConfigError>([&] { class_weights({std::string("bad=") + number}, kFilms); },
                              {"class_weights: bad: expected", number});
  expect_error<ConfigError>([] { class_weights({"worse=1"}, kFilms); },
                            {"class_weights", "worse", "bad, fine, so-so"});
  expect_error<ConfigError>(
      [] {
        class_weights({"bad=1", "bad=2"}, kFilms);
      },
      {"class_weights", "one weight for 'bad'", "two"});
  expect_error<ConfigError>(
      [] {
        class_weights({"balanced", "bad=2"}, kFilms);
      },
      {"class_weights", "balanced alone"});
  expect_error<ConfigError>(
      [] {
        class_weights({"bad=0", "fine=0", "so-so=0"}, kFilms);
      },
      {"class_weights", "above 0", "none"});
}

}  // namespace
}  // namespace attend
