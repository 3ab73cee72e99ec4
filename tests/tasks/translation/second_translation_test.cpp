#include "attend/tasks/translation/second_translation.h"

#include <gtest/gtest.h>

#include "attend/error.h"
#include "tasks/translation/small_translator.h"

namespace attend {
namespace {

using Texts = std::vector<std::string>;

Translation first_translation(const std::string& text) {
  Translation translation;
  translation.candidates.emplace_back();
  translation.candidates.back().text = text;
  return translation;
}

std::string too_long() {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "cat ";
  return text;
}

TranslationOptions in_windows_of(int window) {
  TranslationOptions options = beam_of(2);
  options.window = window;
  options.max_source_tokens = 60;
  return options;
}

TEST(SecondTranslation, AnswersInOrderWithTheTextBetween) {
  const Texts texts = random_sentences(7);
  for (const int window : {1, 3, 100}) {
    Texts between;
    std::vector<Translation> answers;
    SecondTranslation* second = nullptr;
    SecondTranslation own({translator(), in_windows_of(window)},
                          {.accept = [&](const Translation& translation) {
                            answers.push_back(translation);
                            between.push_back(second->between());
                          }});
    second = &own;
    const AnswerSink<Translation> first = own.of_first();
    for (const std::string& text : texts) first.accept(first_translation(text));
    own.finish();
    EXPECT_EQ(between, texts);
    expect_same(answers, translator().translate(texts, in_windows_of(window)));
  }
}

TEST(SecondTranslation, IsTrustedAsFarAsBothModelsAre) {
  TranslationOptions options = in_windows_of(2);
  options.trust = true;
  std::vector<Translation> answers;
  SecondTranslation own({translator(), options}, {.accept = [&](const Translation& translation) {
                          answers.push_back(translation);
                        }});
  const AnswerSink<Translation> first = own.of_first();
  Translation doubtful = first_translation("a cat");
  doubtful.candidates.front().trust = TranslationTrust{.5F, {{"own", "of the first"}}};
  first.accept(doubtful);
  first.accept(first_translation("a cat"));
  own.finish();
  ASSERT_EQ(answers.size(), 2u);
  const auto names = [](const Translation& translation) {
    std::vector<std::string> all;
    for (const TranslationFlag& flag : translation.candidates.front().trust->flags)
      all.push_back(flag.name);
    return all;
  };
  std::vector<std::string> expected = names(answers[1]);
  expected.insert(expected.begin(), "own");
  EXPECT_EQ(names(answers[0]), expected);
}

TEST(SecondTranslation, HandsOnErrorsOfBothWithTheirLines) {
  Texts heard;
  SecondTranslation own(
      {translator(), in_windows_of(2)},
      {.accept = [&](const Translation&) { heard.push_back("answer"); },
       .reject = [&](const LineError& error) { heard.emplace_back(error.what()); }});
  const AnswerSink<Translation> first = own.of_first();
  first.accept(first_translation("a cat"));
  first.reject(LineError("-:2: the first error"));
  first.accept(first_translation(too_long()));
  own.finish();
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(heard[0], "answer");
  EXPECT_EQ(heard[1], "-:2: the first error");
  EXPECT_TRUE(heard[2].starts_with("line 3, after its first translation: a sentence of "))
      << heard[2];
}

TEST(SecondTranslation, ThrowsTheFirstErrorIfNobodyTakesIt) {
  int answers = 0;
  SecondTranslation own({translator(), in_windows_of(10)},
                        {.accept = [&](const Translation&) { ++answers; }});
  const AnswerSink<Translation> first = own.of_first();
  EXPECT_FALSE(first.reject);
  first.accept(first_translation("a cat"));
  first.accept(first_translation(too_long()));
  EXPECT_THROW(own.finish(), LineError);
  EXPECT_EQ(answers, 1);
}

// A client that waits for an answer before it writes more gets one.
TEST(SecondTranslation, AnswersBeforeTheFirstWaits) {
  Texts heard;
  SecondTranslation own({translator(), in_windows_of(10)},
                        {.accept = [&](const Translation&) { heard.push_back("answer"); },
                         .caught_up = [&] { heard.push_back("caught up"); }});
  const AnswerSink<Translation> first = own.of_first();
  first.accept(first_translation("a cat"));
  EXPECT_TRUE(heard.empty());
  first.caught_up();
  EXPECT_EQ(heard, (Texts{"answer", "caught up"}));
}

}  // namespace
}  // namespace attend
