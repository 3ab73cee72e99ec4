// Several threads of a program may use one model at the same time, on one runtime or each on its
// own, and train another beside that.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "attend/core/threads/runtime.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/language/engine.h"
#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/objective.h"
#include "attend/train/trainer.h"
#include "tasks/small_classifier.h"
#include "tasks/small_language.h"
#include "tasks/small_model.h"

namespace attend {
namespace {

using Runtimes = std::vector<std::shared_ptr<Runtime>>;

std::shared_ptr<Runtime> runtime_of(int threads) {
  return std::make_shared<Runtime>(RuntimeOptions{.threads = threads});
}

// What each of `threads` threads has: the same runtime, one of its own with another number of
// threads, or no scope.
std::vector<Runtimes> runtimes_of(std::size_t threads) {
  Runtimes own;
  for (std::size_t i = 0; i < threads; ++i)
    own.push_back(runtime_of(1 + static_cast<int>(i + 1) % 3));
  return {Runtimes(threads, runtime_of(2)), own, Runtimes(threads, nullptr)};
}

// A thread that works in the scope of a runtime, or of none.
template <class Work>
std::thread thread_on(const std::shared_ptr<Runtime>& runtime, const Work& work) {
  return std::thread([runtime, work] {
    std::optional<RuntimeScope> scope;
    if (runtime != nullptr) scope.emplace(runtime);
    work();
  });
}

// Each of four threads asks `answer` five times; whether all answers were what it gives alone.
template <class Answer>
void expect_the_same_from_several_threads(const Answer& answer) {
  const auto alone = answer();
  for (const Runtimes& runtimes : runtimes_of(4)) {
    std::atomic<int> different = 0;
    std::vector<std::thread> callers;
    for (const auto& runtime : runtimes) {
      callers.push_back(thread_on(runtime, [&] {
        for (int repeat = 0; repeat < 5; ++repeat) different += answer() != alone ? 1 : 0;
      }));
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(different, 0);
  }
}

const std::vector<std::string> kSeveralSentences{
    "the old dog", "a cat eats the fish & chips", "", "dogs catch fish",
    "the old dog sees the small cat and a cat eats the fish"};

std::vector<std::pair<std::string, float>> translations(const TranslationEngine& translator) {
  TranslationOptions options;
  options.beam.max_length = 12;
  std::vector<std::pair<std::string, float>> answers;
  for (const Translation& t : translator.translate(kSeveralSentences, options))
    answers.emplace_back(t.text(), t.candidates.front().score);
  return answers;
}

TEST(Concurrency, OneTranslatorAnswersSeveralThreads) {
  const TranslationEngine translator(translation_model(checkpoint_of(small_model())));
  expect_the_same_from_several_threads([&] { return translations(translator); });
}

TEST(Concurrency, OneScorerAnswersSeveralThreads) {
  const TranslationEngine translator(small_model());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const SequenceScore& score : translator.score(kSeveralSentences, kSeveralSentences))
      answers.push_back(score.token_scores);
    return answers;
  });
}

TEST(Concurrency, OneClassifierAnswersSeveralThreads) {
  const ClassificationEngine classifier(small_classifier());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const Classification& c : classifier.classify(kFilms.texts))
      answers.push_back(c.probabilities);
    return answers;
  });
}

TEST(Concurrency, OneGeneratorAnswersSeveralThreads) {
  const GenerationEngine generator(small_language_model());
  GenerationOptions options;
  options.max_tokens = 20;
  expect_the_same_from_several_threads([&] {
    const Generation generation = generator.generate("the cat", options);
    return std::pair(generation.text, generation.token_scores);
  });
}

TEST(Concurrency, OneEmbedderAnswersSeveralThreads) {
  const EmbeddingEngine embedder(small_model());
  expect_the_same_from_several_threads([&] {
    std::vector<std::vector<float>> answers;
    for (const TextEmbedding& e : embedder.embed(kSeveralSentences, {}))
      answers.push_back(e.vectors.to_vector());
    return answers;
  });
}

// The parameters after some steps, which are large enough for threads to share.
std::vector<float> trained(Precision precision) {
  TranslationModel model = small_model();
  auto config = std::get<TransformerConfig>(model.network->architecture());
  config.d_model = 64;
  config.d_ff = 128;
  config.dropout = 0.1f;
  model.network = std::make_shared<Transformer>(config, 7);
  ParallelText text;
  for (int i = 0; i < 32; ++i) {
    text.src.insert(text.src.end(),
                    {"the old dog sees the small cat", "a cat eats the fish & chips"});
    text.tgt.insert(text.tgt.end(),
                    {"der alte hund sieht die kleine katze", "eine katze frisst den fisch"});
  }
  ReadReport report;
  EncodedPairs pairs = encode_parallel(text, model.src_tokenizer, model.tgt_tokenizer, {}, report);
  const SpecialTokens src = model.src_tokenizer.special_tokens(),
                      tgt = model.tgt_tokenizer.special_tokens();
  TranslationObjective objective(model, TranslationBatcher(std::move(pairs), {src, tgt}, {400}, 1),
                                 {}, std::nullopt);
  TrainerOptions options;
  options.precision = precision;
  options.optimizer.kind = OptimizerKind::muon;
  Trainer trainer(objective, options,
                  TrainingRun{RunFolder("none"), false, 64, {}, {}, nullptr, {}});
  for (int step = 0; step < 2; ++step) trainer.update();
  return objective.parameters().values().to_vector();
}

// With one backend for the process, a training in bf16 would round the factors of all others.
TEST(Concurrency, ATrainingInBf16AndTranslationsHaveTheBytesTheyHaveAlone) {
  const std::vector<float> wide = trained(Precision::f32), narrow = trained(Precision::bf16);
  ASSERT_NE(wide, narrow);
  const TranslationEngine translator(translation_model(checkpoint_of(small_model())));
  const auto alone = translations(translator);
  for (const Runtimes& runtimes : runtimes_of(5)) {
    std::atomic<bool> training = true;
    std::atomic<int> different = 0, answers = 0;
    std::vector<std::thread> translating;
    for (std::size_t i = 0; i < 3; ++i) {
      translating.push_back(thread_on(runtimes[i], [&] {
        do {
          different += translations(translator) != alone ? 1 : 0;
          ++answers;
        } while (training);
      }));
    }
    bool narrow_is_same = false, wide_is_same = false;
    std::thread in_bf16 =
        thread_on(runtimes[3], [&] { narrow_is_same = trained(Precision::bf16) == narrow; });
    std::thread in_f32 =
        thread_on(runtimes[4], [&] { wide_is_same = trained(Precision::f32) == wide; });
    in_bf16.join();
    in_f32.join();
    training = false;
    for (std::thread& thread : translating) thread.join();
    EXPECT_TRUE(narrow_is_same);
    EXPECT_TRUE(wide_is_same);
    EXPECT_EQ(different, 0) << "of " << answers << " answers";
  }
}

}  // namespace
}  // namespace attend
