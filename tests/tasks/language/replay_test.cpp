// Adapting a language model to new text without forgetting the old one.
#include "attend/tasks/language/training.h"
#include "tasks/replay_setting.h"
#include "tasks/small_language.h"

namespace attend {
namespace {

class ReplayedLanguage : public ReplayTest<LanguageTraining> {
 protected:
  ReplayedLanguage() {
    write(path("old"), fmt::format("{}\n", fmt::join(kRhyme, "\n")));
    write(path("new"), "dog the on sat mat a cat the\nran dog fat the\non mat the sat the dog\n");
    options_.data.data = folder_.string();
    options_.data.train = {"new"};
    options_.data.windows.sequence_length = 8;
    options_.data.batch.batch_tokens = 16;
    options_.vocabulary.type = TokenizerType::word;
    options_.vocabulary.vocab_size = 4 + 13;
    options_.model.d_model = 32;
    options_.model.n_heads = 4;
    options_.model.d_ff = 64;
    options_.model.n_layers = 1;
    options_.model.dropout = 0.0f;
  }
  void learn_the_old_text() {
    LanguageTraining o = options_;
    o.data.train = {"old"};
    begin_with(o, 200);
  }
};

TEST_F(ReplayedLanguage, ForgetsLessWithTheOldText) {
  learn_the_old_text();
  options_.data.valid = {"new"};
  options_.trainer.max_steps = 120;
  options_.replay.valid = {"old"};
  trained(options_);
  EXPECT_NE(notes_.find("old text before training: perplexity "), std::string::npos) << notes_;
  const double forgotten = metric("old_nll");
  options_.replay.text = {"old"};
  trained(options_);
  EXPECT_LT(metric("old_nll"), forgotten / 2);
  EXPECT_LT(last_.nll, 1.0) << "and learns the new one";
}

TEST_F(ReplayedLanguage, TakesAsMuchOldTextAsItsWeightSays) {
  LanguageTraining o = options_;
  o.vocabulary.vocab_size = 4 + 9;  // of the new text
  o.replay.text = {"old"};
  for (const float weight : {1.0f, 2.0f, 3.0f}) {
    o.replay.weight = weight;
    EXPECT_DOUBLE_EQ(share_of_old_text(o), weight);
  }
}

TEST_F(ReplayedLanguage, LearnsFromTheOutputsOfTheOldModel) {
  learn_the_old_text();
  expect_lessons_of_the_old_model([](LanguageTraining& o) { o.replay.text = {"old"}; });
  LanguageTraining o = options_;
  o.replay.distill_weight = 1.0f;
  o.model.output_dropout = 0.5f;
  EXPECT_GT(loss_of(o), 0.1) << "only the teacher works without dropout";
}

TEST_F(ReplayedLanguage, LearnsTheMeanOfItsTeachers) {
  options_.vocabulary.vocab_size = 13;
  expect_lessons_of_teachers([](LanguageTraining& o, int i) { o.model.n_layers = i + 1; });
}

TEST_F(ReplayedLanguage, RefusesTeachersWithAnotherVocabulary) {
  options_.vocabulary.vocab_size = 13;
  LanguageTraining o = options_;
  o.trainer.max_steps = 2;
  for (const char* text : {"old", "new"}) {
    o.data.train = {text};
    options_.teachers.push_back(std::make_shared<const Checkpoint>(trained(o)));
  }
  options_.replay.distill_weight = 0.5f;
  expect_error<DataError>([&] { prepare_training(options_, nullptr); }, {"vocabulary"});
}

TEST_F(ReplayedLanguage, RefusesWhatDoesNotFit) {
  expect_refused([](LanguageTraining& o) { o.replay.weight = 0; }, {"replay_weight"});
  expect_refused([](LanguageTraining& o) { o.replay.distill_weight = 0.5f; },
                 {"distill_weight", "init_from"});
  learn_the_old_text();
  expect_refused(
      [](LanguageTraining& o) {
        o.replay.distill_weight = 0.5f;
        o.loss.output_sample = 8;
      },
      {"distill_weight", "output_sample 0"});
  LanguageTraining missing = options_;
  missing.replay.text = {"nothing"};
  EXPECT_THROW(prepare_training(missing, nullptr), IoError);
}

}  // namespace
}  // namespace attend
