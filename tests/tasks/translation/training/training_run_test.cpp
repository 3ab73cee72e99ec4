// Whole runs of translation training, in a folder.

#include "attend/tasks/translation/engine.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "core/scoped_threads.h"
#include "tasks/translation/objective_setting.h"
#include "tensor/expect_error.h"
#include "train/stop_at_step.h"

namespace attend {
namespace {

class TranslationRun : public FolderTest {
 protected:
  TranslationRun() {
    options_.schedule.learning_rate = 5e-3f;
    options_.schedule.warmup_steps = 20;
    options_.valid_every = options_.save_every = 0;
  }

  void train(const std::string& name, TranslationObjective& objective, bool resume = false,
             std::int64_t stop_at = -1) {
    StopAtStep stop(stop_at);
    const auto describe = [](Checkpoint& c) { learning_model(0.1f).describe(c); };
    Trainer(objective, options_,
            {RunFolder(path(name)), resume, 32, describe, {&stop}, &stop.flag, {}})
        .train();
  }

  TrainerOptions options_;
};

TEST_F(TranslationRun, NamesTheFileWithoutText) {
  write(path("text"), "a dog\nthe cat\n");
  write(path("blank"), "\n \n");
  TranslationTraining options;
  options.data.src_train = {path("text").string()};
  options.data.tgt_train = {path("blank").string()};
  expect_error<DataError>([&] { prepare_training(options, nullptr); },
                          {path("blank").string(), "2 blank lines"});
  std::swap(options.data.src_train, options.data.tgt_train);
  expect_error<DataError>([&] { prepare_training(options, nullptr); },
                          {path("blank").string(), "2 blank lines"});
}

TEST_F(TranslationRun, ReachesBleu100WhenItHasLearnedTheTextByHeart) {
  options_.max_steps = 200;
  TranslationObjective objective = translation_of({.batch_tokens = 40, .seed = 1, .dropout = 0.1f});
  EXPECT_LT(objective.validate().score, 10);
  train("run", objective);
  EXPECT_DOUBLE_EQ(objective.validate().score, 100);
  const TranslationEngine translator = TranslationEngine::load(path("run") / "model.safetensors");
  const std::vector<Translation> translations = translator.translate(kPairs.src);
  for (std::size_t i = 0; i < kPairs.src.size(); ++i)
    EXPECT_EQ(translations[i].text(), kPairs.tgt[i]);
}

TEST_F(TranslationRun, ResumedInTheMiddleOfAnEpochIsTheSameRun) {
  options_.max_steps = 12;
  options_.accumulate = 2;
  const TranslationSetting setting{.batch_tokens = 20, .seed = 1, .dropout = 0.1f};
  TranslationObjective whole = translation_of(setting);
  ASSERT_GT(whole.batches(0), 2) << "epochs must be longer than a step";
  train("whole", whole);
  TranslationObjective first = translation_of(setting), second = translation_of(setting);
  train("parts", first, false, 7);
  train("parts", second, true);
  for (const char* const file : {"checkpoints/step-00000012.safetensors", "model.safetensors"})
    EXPECT_EQ(read(path("parts") / file), read(path("whole") / file)) << file;
}

TEST_F(TranslationRun, GivesTheSameBytesWithOneThreadOrTwo) {
  options_.max_steps = 5;
  for (const int count : {1, 2}) {
    const ScopedThreads scope(count);
    TranslationObjective objective = translation_of({.seed = 1, .dropout = 0.1f});
    train(std::to_string(count), objective);
  }
  EXPECT_EQ(read(path("1") / "model.safetensors"), read(path("2") / "model.safetensors"));
}

}  // namespace
}  // namespace attend
