// Adapting a classifier to new texts without forgetting the old ones.
#include "attend/tasks/classification/training.h"
#include "tasks/replay_setting.h"

namespace attend {
namespace {

// The new texts call good what the old ones call bad, of other things.
constexpr const char* kOld =
    "good\tthe film is warm\nbad\tthe film is cold\ngood\ta warm film\nbad\ta cold film\n";
constexpr const char* kNew =
    "bad\tthe meal is warm\ngood\tthe meal is cold\nbad\ta warm meal\ngood\ta cold meal\n";

class ReplayedClassification : public ReplayTest<ClassificationTraining> {
 protected:
  ReplayedClassification() {
    write(path("old"), kOld);
    write(path("new"), kNew);
    write(path("other"), "good\tthe film is warm\nugly\tthe film is cold\n");
    options_.data.data = folder_.string();
    options_.data.train = {"new"};
    options_.data.batch.batch_tokens = 8;
    options_.tokenizer.type = TokenizerType::chars;
    options_.tokenizer.vocab_size = 40;
    options_.model.d_model = 32;
    options_.model.n_heads = 4;
    options_.model.d_ff = 64;
    options_.model.n_encoder_layers = 1;
    options_.model.dropout = 0.0f;
    options_.trainer.max_epochs = 0;
  }
  void learn_the_old_texts() {
    ClassificationTraining o = options_;
    o.data.train = {"old"};
    begin_with(o, 120);
  }
};

TEST_F(ReplayedClassification, ForgetsLessWithTheOldTexts) {
  learn_the_old_texts();
  options_.data.valid = {"new"};
  options_.trainer.max_steps = 120;
  options_.replay.valid = {"old"};
  trained(options_);
  EXPECT_NE(notes_.find("old texts before training: accuracy 1.0000"), std::string::npos) << notes_;
  const double forgotten = metric("old_nll");
  options_.replay.text = {"old"};
  trained(options_);
  EXPECT_LT(metric("old_nll"), forgotten / 2);
  EXPECT_EQ(metric("old_accuracy"), 1);
  EXPECT_EQ(metric("accuracy"), 1) << "and learns the new ones";
}

TEST_F(ReplayedClassification, TakesAsManyOldTextsAsItsWeightSays) {
  ClassificationTraining o = options_;
  o.replay.text = {"old"};
  for (const float weight : {1.0f, 2.0f, 3.0f}) {
    o.replay.weight = weight;
    EXPECT_DOUBLE_EQ(share_of_old_text(o), weight);
  }
}

TEST_F(ReplayedClassification, LearnsFromTheOutputsOfTheOldModel) {
  learn_the_old_texts();
  expect_lessons_of_the_old_model([](ClassificationTraining& o) { o.replay.text = {"old"}; });
  ClassificationTraining o = options_;
  o.replay.distill_weight = 1.0f;
  EXPECT_LT(loss_of(o), 1e-6);
  o.loss.word_dropout = 0.5f;
  EXPECT_LT(loss_of(o), 1e-6) << "the teacher reads what the model reads";
  o.loss.word_dropout = 0;
  o.model.output_dropout = 0.5f;
  EXPECT_GT(loss_of(o), 1e-5) << "only the teacher works without dropout";
}

TEST_F(ReplayedClassification, LearnsTheMeanOfItsTeachers) {
  expect_lessons_of_teachers(
      [](ClassificationTraining& o, int i) { o.model.n_encoder_layers = i + 1; });
}

TEST_F(ReplayedClassification, RefusesTeachersWithAnotherVocabulary) {
  ClassificationTraining o = options_;
  o.trainer.max_steps = 2;
  for (const char* text : {"old", "new"}) {
    o.data.train = {text};
    options_.teachers.push_back(std::make_shared<const Checkpoint>(trained(o)));
  }
  options_.replay.distill_weight = 0.5f;
  expect_error<ConfigError>([&] { prepare_training(options_, nullptr); }, {"vocabulary"});
}

TEST_F(ReplayedClassification, RefusesWhatDoesNotFit) {
  expect_refused([](ClassificationTraining& o) { o.replay.weight = 0; }, {"replay_weight"});
  expect_refused([](ClassificationTraining& o) { o.replay.distill_weight = 0.5f; },
                 {"distill_weight", "init_from"});
  learn_the_old_texts();
  options_.replay.distill_weight = 0.5f;
  expect_refused([](ClassificationTraining& o) { o.loss.r_drop = 1; },
                 {"distill_weight", "without class_weights and r_drop", "got r_drop"});
  expect_refused([](ClassificationTraining& o) { o.loss.class_weights = {"good=2"}; },
                 {"distill_weight", "got class_weights"});
  expect_refused([](ClassificationTraining& o) { o.model.problem_type = ProblemType::multi_label; },
                 {"distill_weight", "got multi_label"});
  expect_refused([](ClassificationTraining& o) { o.data.train = {"other"}; },
                 {"distill_weight", "the same labels"});
  ClassificationTraining o = options_;
  o.replay.distill_weight = 0;
  o.replay.text = {"other"};
  expect_error<DataError>([&] { prepare_training(o, nullptr); }, {"other:2", "ugly"});
  o.replay.text = {"nothing"};
  EXPECT_THROW(prepare_training(o, nullptr), IoError);
}

}  // namespace
}  // namespace attend
