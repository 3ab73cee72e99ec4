// Adapting a translator to new text without forgetting the old one.
#include <fmt/format.h>

#include "attend/tasks/golden.h"
#include "attend/tasks/translation/training.h"
#include "checkpoint/test_folder.h"
#include "tasks/translation/objective_setting.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

const ParallelText kOther{
    {"the dog sees chips", "a small fish eats the cat", "the old fish", "dogs see the old dog"},
    {"der hund sieht chips", "ein kleiner fisch frisst die katze", "der alte fisch",
     "hunde sehen den alten hund"}};

class ReplayedTranslation : public FolderTest {
 protected:
  ReplayedTranslation() {
    put("old", kPairs);
    put("new", kOther);
    options_.data.data = folder_.string();
    options_.data.src_train = {"new.src"};
    options_.data.tgt_train = {"new.tgt"};
    options_.data.batch.batch_tokens = 40;
    options_.vocabulary.tokenizer.vocab_size = 60;
    TransformerConfig& t = options_.model.transformer;
    t.d_model = 32;
    t.n_heads = 4;
    t.d_ff = 64;
    t.n_encoder_layers = t.n_decoder_layers = 1;
    t.dropout = 0.0f;
    options_.loss.training.label_smoothing = 0.0f;
    options_.trainer.schedule.learning_rate = 5e-3f;
    options_.trainer.schedule.warmup_steps = 10;
    options_.trainer.valid_every = options_.trainer.save_every = 0;
  }

  void put(const std::string& name, const ParallelText& text) const {
    write(path(name + ".src"), fmt::format("{}\n", fmt::join(text.src, "\n")));
    write(path(name + ".tgt"), fmt::format("{}\n", fmt::join(text.tgt, "\n")));
  }
  static void replay(TranslationTraining& o) {
    o.replay.src = {"old.src"};
    o.replay.tgt = {"old.tgt"};
  }
  static void measure(TranslationTraining& o) {
    o.replay.src_valid = {"old.src"};
    o.replay.tgt_valid = {"old.tgt"};
  }
  // Trains the old text; later trainings begin with the result.
  void learn_the_old_text() {
    TranslationTraining o = options_;
    o.data.src_train = {"old.src"};
    o.data.tgt_train = {"old.tgt"};
    o.trainer.max_steps = 150;
    options_.initial = std::make_shared<const Checkpoint>(trained(o));
    adopt_model(options_, *options_.initial);
  }
  Checkpoint trained(const TranslationTraining& o) {
    TrainingTask task = prepare_training(o, nullptr);
    notes_ = fmt::format("{}", fmt::join(task.notes, "\n"));
    const std::filesystem::path folder = path(fmt::format("run{}", ++runs_));
    Trainer(*task.objective, o.trainer, run_of(task, RunFolder(folder), false)).train();
    last_ = task.objective->can_validate() ? task.objective->validate() : Validation{};
    return load_checkpoint(folder);
  }
  double metric(const std::string& name) const {
    for (const auto& [key, value] : last_.metrics)
      if (key == name) return value;
    ADD_FAILURE() << "no " << name;
    return 0;
  }
  static double loss(TrainingTask& task, std::int64_t batch = 0) {
    Pass pass = Pass::training(1, 1);
    return task.objective->loss(0, batch, 1.0, pass).loss_sum;
  }

  TranslationTraining options_;
  std::string notes_;
  Validation last_;
  int runs_ = 0;
};

TEST_F(ReplayedTranslation, ForgetsLessWithTheOldText) {
  learn_the_old_text();
  options_.data.src_valid = {"new.src"};
  options_.data.tgt_valid = {"new.tgt"};
  options_.trainer.max_steps = 60;
  measure(options_);
  trained(options_);
  EXPECT_NE(notes_.find("old text before training: perplexity 1.0"), std::string::npos) << notes_;
  const double forgotten = metric("old_nll");
  replay(options_);
  trained(options_);
  EXPECT_LT(metric("old_nll"), forgotten / 2);
  EXPECT_GT(metric("old_bleu"), 50);
  EXPECT_GT(metric("bleu"), 50) << "and learns the new one";
}

TEST_F(ReplayedTranslation, LearnsFromTheOutputsOfTheOldModel) {
  learn_the_old_text();
  options_.replay.distill_weight = 1.0f;
  TrainingTask all = prepare_training(options_, nullptr);
  EXPECT_NEAR(loss(all), 0, 1e-3) << "the model is its own teacher before it has learned";
  options_.replay.distill_weight = 0.5f;
  TrainingTask half = prepare_training(options_, nullptr);
  options_.replay.distill_weight = 0.0f;
  TrainingTask none = prepare_training(options_, nullptr);
  EXPECT_NEAR(loss(half), loss(none) / 2, 1e-3 * loss(none));
  // With old text, only that has a teacher.
  replay(options_);
  options_.replay.weight = 1.0f;
  options_.replay.distill_weight = 1.0f;
  TrainingTask both = prepare_training(options_, nullptr);
  EXPECT_NEAR(loss(both, 0), loss(none), 1e-3 * loss(none));
  EXPECT_NEAR(loss(both, 1), 0, 1e-3);
}

TEST_F(ReplayedTranslation, RefusesWhatDoesNotFit) {
  const auto refuse = [&](const std::function<void(TranslationTraining&)>& set,
                          std::initializer_list<std::string_view> parts) {
    TranslationTraining o = options_;
    set(o);
    expect_error<ConfigError>([&] { prepare_training(o, nullptr); }, parts);
  };
  refuse([](TranslationTraining& o) { o.replay.src = {"old.src"}; },
         {"--src-replay and --tgt-replay"});
  refuse([](TranslationTraining& o) { o.replay.tgt_valid = {"old.tgt"}; },
         {"--src-replay-valid and --tgt-replay-valid"});
  refuse([](TranslationTraining& o) { o.replay.weight = 0; }, {"replay-weight"});
  refuse([](TranslationTraining& o) { o.replay.distill_weight = 0.5f; },
         {"distill-weight", "--init-from"});
  learn_the_old_text();
  refuse(
      [](TranslationTraining& o) {
        o.replay.distill_weight = 0.5f;
        o.loss.training.r_drop = 1.0f;
      },
      {"distill-weight", "R-Drop"});
  TranslationTraining missing = options_;
  missing.replay.src = missing.replay.tgt = {"nothing"};
  EXPECT_THROW(prepare_training(missing, nullptr), IoError);
}

}  // namespace
}  // namespace attend
