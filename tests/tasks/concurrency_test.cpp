// Several threads of a program may use one model at the same time.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "attend/tasks/classification/classifier.h"
#include "attend/tasks/embedding/embedder.h"
#include "attend/tasks/language/generator.h"
#include "attend/tasks/translation/translator.h"
#include "core/scoped_threads.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

// Each of four threads asks `answer` five times; whether all answers were what it gives alone.
template <class Answer>
void expect_the_same_from_several_threads(const Answer& answer) {
  const ScopedThreads two(2);
  const auto alone = answer();
  std::atomic<int> different = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 5; ++repeat) different += answer() != alone ? 1 : 0;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(different, 0);
}

const std::vector<std::string> kSeveralSentences{"the old dog", "a cat eats the fish & chips", "", "dogs catch fish",
                                                 "the old dog sees the small cat and a cat eats the fish"};

TEST(Concurrency, OneTranslatorAnswersSeveralThreads) {
  const Translator translator(translation_model(checkpoint_of(small_model())));
  TranslationOptions options;
  options.beam.max_length = 12;
  expect_the_same_from_several_threads([&] {
    std::vector<std::pair<std::string, float>> answers;
    for (const Translation& t : translator.translate(kSeveralSentences, options))
      answers.emplace_back(t.text(), t.candidates.front().score);
    return answers;
  });
}

TEST(Concurrency, OneScorerAnswersSeveralThreads) {
  const Translator translator(small_model());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const SequenceScore& score : translator.score(kSeveralSentences, kSeveralSentences)) answers.push_back(score.token_scores);
    return answers;
  });
}

TEST(Concurrency, OneClassifierAnswersSeveralThreads) {
  const Classifier classifier(small_classifier());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const Classification& c : classifier.classify(kFilms.texts)) answers.push_back(c.probabilities);
    return answers;
  });
}

TEST(Concurrency, OneGeneratorAnswersSeveralThreads) {
  const Generator generator(small_language_model());
  GenerationOptions options;
  options.max_tokens = 20;
  expect_the_same_from_several_threads([&] {
    const Generation generation = generator.generate("the cat", options);
    return std::pair(generation.text, generation.token_scores);
  });
}

TEST(Concurrency, OneEmbedderAnswersSeveralThreads) {
  const Embedder embedder(small_model());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const TextEmbedding& e : embedder.embed(kSeveralSentences, {})) answers.push_back(e.vectors.to_vector());
    return answers;
  });
}

}  // namespace
}  // namespace attend
