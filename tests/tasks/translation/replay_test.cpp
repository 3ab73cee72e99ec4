// Adapting a translator to new text without forgetting the old one.
#include "attend/tasks/translation/training/training.h"
#include "tasks/replay_setting.h"
#include "tasks/translation/objective_setting.h"

namespace attend {
namespace {

const ParallelText kOther{
    {"the dog sees chips", "a small fish eats the cat", "the old fish", "dogs see the old dog"},
    {"der hund sieht chips", "ein kleiner fisch frisst die katze", "der alte fisch",
     "hunde sehen den alten hund"}};

class ReplayedTranslation : public ReplayTest<TranslationTraining> {
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
  void learn_the_old_text() {
    TranslationTraining o = options_;
    o.data.src_train = {"old.src"};
    o.data.tgt_train = {"old.tgt"};
    begin_with(o, 150);
  }
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

TEST_F(ReplayedTranslation, TakesAsMuchOldTextAsItsWeightSays) {
  TranslationTraining o = options_;
  replay(o);
  for (const float weight : {1.0f, 2.0f, 3.0f}) {
    o.replay.weight = weight;
    EXPECT_DOUBLE_EQ(share_of_old_text(o), weight);
  }
}

TEST_F(ReplayedTranslation, LearnsFromTheOutputsOfTheOldModel) {
  learn_the_old_text();
  expect_lessons_of_the_old_model(replay);
}

TEST_F(ReplayedTranslation, LearnsTheMeanOfItsTeachers) {
  expect_lessons_of_teachers([](TranslationTraining& o, int i) {
    o.model.transformer.d_model = i == 0 ? 16 : 32;
    o.model.transformer.n_heads = 2;
  });
}

// Without dropout both passes are equal.
TEST_F(ReplayedTranslation, LearnsFromATeacherInTwoPasses) {
  learn_the_old_text();
  options_.replay.distill_weight = 0.5f;
  const double one = loss_of(options_);
  options_.loss.training.r_drop = 3.0f;
  EXPECT_NEAR(loss_of(options_), one, 1e-5 * one);
  options_.model.transformer.dropout = 0.3f;
  const double apart = loss_of(options_);
  options_.loss.training.r_drop = 6.0f;
  EXPECT_GT(loss_of(options_), apart + 1e-3);
}

TEST_F(ReplayedTranslation, RefusesTeachersWithAnotherVocabulary) {
  TranslationTraining o = options_;
  o.data.src_train = {"old.src"};
  o.data.tgt_train = {"old.tgt"};
  o.trainer.max_steps = 2;
  options_.teachers = {std::make_shared<const Checkpoint>(trained(o))};
  o.data.src_train = {"new.src"};
  o.data.tgt_train = {"new.tgt"};
  options_.teachers.push_back(std::make_shared<const Checkpoint>(trained(o)));
  options_.replay.distill_weight = 0.5f;
  EXPECT_THROW(prepare_training(options_, nullptr), DataError);
}

TEST_F(ReplayedTranslation, RefusesWhatDoesNotFit) {
  expect_refused([](TranslationTraining& o) { o.replay.src = {"old.src"}; },
                 {"src_replay and tgt_replay"});
  expect_refused([](TranslationTraining& o) { o.replay.tgt_valid = {"old.tgt"}; },
                 {"src_replay_valid and tgt_replay_valid"});
  expect_refused([](TranslationTraining& o) { o.replay.weight = 0; }, {"replay_weight"});
  expect_refused([](TranslationTraining& o) { o.replay.distill_weight = 0.5f; },
                 {"distill_weight", "init_from"});
  TranslationTraining missing = options_;
  missing.replay.src = missing.replay.tgt = {"nothing"};
  EXPECT_THROW(prepare_training(missing, nullptr), IoError);
}

}  // namespace
}  // namespace attend
