#include "attend/tasks/classification/objective.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/tasks/classification/engine.h"
#include "attend/tasks/classification/training.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "tasks/small_classifier.h"
#include "tasks/two_passes.h"
#include "tensor/expect_error.h"
#include "train/stop_at_step.h"
#include "train/validated_together.h"

namespace attend {
namespace {

struct ClassificationSetting {
  std::int64_t batch_tokens = 1000;
  std::optional<std::uint64_t> seed = std::nullopt;
  float dropout = 0.0f;
  ClassificationLoss loss = {};
  bool validates = true;
  Pooling pooling = Pooling::max;
  ClassificationScore best_by = ClassificationScore::accuracy;
};

ClassificationBatcher batches(const ClassificationModel& model, std::int64_t batch_tokens,
                              std::optional<std::uint64_t> seed) {
  LabeledReport report;
  return ClassificationBatcher(encode_labeled(kFilms, model.tokenizer, model.format(), report),
                               {batch_tokens}, seed);
}

ClassificationObjective objective_of(const ClassificationSetting& s) {
  const ClassificationModel model = small_classifier(s.pooling, s.dropout);
  std::optional<ClassificationBatcher> validation;
  if (s.validates) validation = batches(model, 30, std::nullopt);
  return ClassificationObjective(model, batches(model, s.batch_tokens, s.seed), s.loss,
                                 std::move(validation), s.best_by);
}

TEST(ClassificationObjective, LosesInABatchWhatItsTextsLose) {
  ClassificationObjective together = objective_of({}), alone = objective_of({.batch_tokens = 1});
  ASSERT_EQ(together.batches(0), 1);
  ASSERT_EQ(alone.batches(0), 8);
  Pass pass = Pass::inference();
  const BatchLoss whole = together.loss(0, 0, 8.0, pass);
  backward(whole.loss);
  EXPECT_NEAR(whole.loss.value().item(), whole.loss_sum / 8, 1e-6);
  double loss = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const BatchLoss part = alone.loss(0, i, 8.0, pass);
    backward(part.loss);
    loss += part.loss_sum;
  }
  EXPECT_NEAR(loss, whole.loss_sum, 1e-5 * whole.loss_sum);
  const std::vector<float> expected = together.parameters().gradients().to_vector(),
                           actual = alone.parameters().gradients().to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-6) << "gradient " << i;
}

TEST(ClassificationObjective, CountsTextsAndTheirTokens) {
  ClassificationObjective objective = objective_of({});
  const ClassificationModel model = small_classifier();
  std::int64_t tokens = 0;
  for (const std::string& text : kFilms.texts) tokens += std::ssize(model.ids(text));
  EXPECT_EQ(objective.size(0, 0).targets, 8);
  EXPECT_EQ(objective.size(0, 0).sources, tokens);
}

TEST(ClassificationObjective, WeighsClassesInTheLossButNotInTheLikelihood) {
  const Tensor weights = Tensor::from(std::vector<float>{2.0f, 0.0f, 0.0f}, {3});
  ClassificationObjective plain = objective_of({.batch_tokens = 1}),
                          weighted = objective_of({.batch_tokens = 1, .loss = {0, 0, weights}});
  Pass pass = Pass::inference();
  for (std::int64_t i = 0; i < 8; ++i) {
    const BatchLoss a = plain.loss(0, i, 1.0, pass), b = weighted.loss(0, i, 1.0, pass);
    const double weight = kFilms.labels[static_cast<std::size_t>(i)] == 0 ? 2.0 : 0.0;
    EXPECT_NEAR(b.loss_sum, weight * a.loss_sum, 1e-6);
    EXPECT_EQ(b.nll_sum, a.nll_sum);
  }
}

TEST(ClassificationObjective, SmoothsTheLossButNotTheLikelihood) {
  ClassificationObjective sharp = objective_of({}),
                          smooth = objective_of({.loss = {.label_smoothing = 0.2f}});
  Pass pass = Pass::inference();
  const BatchLoss a = sharp.loss(0, 0, 1.0, pass), b = smooth.loss(0, 0, 1.0, pass);
  EXPECT_NEAR(a.loss_sum, a.nll_sum, 1e-6 * a.nll_sum);
  EXPECT_EQ(a.nll_sum, b.nll_sum);
  EXPECT_GT(std::abs(b.loss_sum - b.nll_sum), 1e-3);
  const Validation plain = sharp.validate(), smoothed = smooth.validate();
  EXPECT_EQ(plain.nll, smoothed.nll);
  EXPECT_NEAR(smoothed.loss, b.loss_sum / 8, 1e-6) << "validated by the loss that is trained";
}

TEST(ClassificationObjective, HasNothingToAgreeOnWithoutDropout) {
  ClassificationObjective one = objective_of({.loss = {.label_smoothing = 0.1f}}),
                          two = objective_of({.loss = {.label_smoothing = 0.1f, .r_drop = 5.0f}});
  expect_nothing_to_agree_on(one, two);
}

TEST(ClassificationObjective, PunishesDisagreementOfTwoPassesInTrainingAlone) {
  ClassificationObjective weak = objective_of({.dropout = 0.3f, .loss = {.r_drop = 1.0f}}),
                          strong = objective_of({.dropout = 0.3f, .loss = {.r_drop = 5.0f}}),
                          none = objective_of({.dropout = 0.3f});
  expect_punished_disagreement(none, weak, strong, 0.1);
}

TEST(ClassificationObjective, LeavesOutOtherWordsInEachOfTwoPasses) {
  // Without dropout, only the words can tell the two passes apart.
  ClassificationObjective weak = objective_of({.loss = {.word_dropout = 0.5f, .r_drop = 1.0f}}),
                          strong = objective_of({.loss = {.word_dropout = 0.5f, .r_drop = 5.0f}});
  EXPECT_GT(first_loss(strong).loss_sum, first_loss(weak).loss_sum + 1e-3);
}

TEST(ClassificationObjective, LeavesOutWordsInTrainingAlone) {
  ClassificationObjective objective = objective_of({.loss = {.word_dropout = 0.5f}}),
                          whole = objective_of({});
  const auto loss = [](ClassificationObjective& o, Pass pass) {
    return o.loss(0, 0, 1.0, pass).loss_sum;
  };
  EXPECT_EQ(loss(objective, Pass::training(1, 1)), loss(objective, Pass::training(1, 1)));
  EXPECT_NE(loss(objective, Pass::training(1, 1)), loss(objective, Pass::training(1, 2)));
  EXPECT_EQ(loss(objective, Pass::inference()), loss(whole, Pass::inference()));
  EXPECT_EQ(objective.validate().loss, whole.validate().loss);
}

TEST(ClassificationObjective, LeavesTheEndsOfATextInPlace) {
  // Nearly everything is left out, and yet every text keeps a token to pool.
  ClassificationObjective objective =
      objective_of({.loss = {.word_dropout = 0.99f}, .pooling = Pooling::first});
  for (std::uint64_t step = 1; step < 20; ++step) {
    Pass pass = Pass::training(1, step);
    EXPECT_TRUE(std::isfinite(objective.loss(0, 0, 1.0, pass).loss_sum));
  }
}

TEST(ClassificationObjective, KeepsTheFirstAndTheLastTokenOfEveryText) {
  ClassificationObjective objective = objective_of({.loss = {.word_dropout = 0.9999f}});
  const ClassificationModel model = small_classifier();
  RaggedBuilder ends;
  for (const std::string& text : kFilms.texts) {
    const std::vector<std::int32_t> ids = model.ids(text);
    ASSERT_GE(ids.size(), 3u);
    ends.add(std::vector<std::int32_t>{ids.front(), ids.back()});
  }
  Pass pass = Pass::inference(), dropping = Pass::training(1, 1);
  const Variable logits = model.network->forward(ends.build(), pass);
  const double expected = cross_entropy(logits, kFilms.labels, {0.0f, 1.0}).loss_sum;
  EXPECT_NEAR(objective.loss(0, 0, 1.0, dropping).loss_sum, expected, 1e-4);
}

TEST(ClassificationObjective, ChoosesTheBestStepByWhatIsAskedFor) {
  const Validation by_f1 = objective_of({.best_by = ClassificationScore::macro_f1}).validate();
  EXPECT_EQ(by_f1.score, by_f1.metrics[1].second);
  EXPECT_NE(by_f1.score, by_f1.metrics[0].second);
  const Validation by_loss = objective_of({.best_by = ClassificationScore::loss}).validate();
  EXPECT_EQ(by_loss.score, -by_loss.loss);
}

TEST(ClassificationObjective, ValidatesTogetherWithTheBitsOfOneProcess) {
  expect_equal_validations(
      [] { return std::make_unique<ClassificationObjective>(objective_of({})); });
}

TEST(ClassificationObjective, ValidatesByAccuracyAndF1) {
  ClassificationObjective objective = objective_of({.dropout = 0.3f});
  const Validation validation = objective.validate();
  ASSERT_EQ(validation.metrics.size(), 2u);
  EXPECT_EQ(validation.metrics[0].first, "accuracy");
  EXPECT_EQ(validation.metrics[1].first, "macro_f1");
  EXPECT_EQ(validation.score, validation.metrics[0].second);
  EXPECT_EQ(validation.loss, objective.validate().loss) << "no dropout";
  const ClassificationEngine classifier(small_classifier());
  int right = 0;
  const auto found = classifier.classify(kFilms.texts);
  for (std::size_t i = 0; i < found.size(); ++i)
    right += found[i].label == static_cast<std::size_t>(kFilms.labels[i]) ? 1 : 0;
  EXPECT_DOUBLE_EQ(validation.score, right / 8.0);
  EXPECT_FALSE(objective_of({.validates = false}).can_validate());
}

class ClassificationRun : public FolderTest {
 protected:
  ClassificationRun() {
    options_.schedule.learning_rate = 5e-3f;
    options_.schedule.warmup_steps = 10;
    options_.valid_every = options_.save_every = 0;
  }

  void train(const std::string& name, ClassificationObjective& objective, bool resume = false,
             std::int64_t stop_at = -1) {
    StopAtStep stop(stop_at);
    const auto describe = [](Checkpoint& c) { small_classifier().describe(c); };
    Trainer(objective, options_,
            {RunFolder(path(name)), resume, 32, describe, {&stop}, &stop.flag, {}})
        .train();
  }

  TrainerOptions options_;
};

TEST_F(ClassificationRun, LearnsTheTextsByHeart) {
  options_.max_steps = 80;
  ClassificationObjective objective = objective_of({.batch_tokens = 30, .seed = 1});
  train("run", objective);
  EXPECT_DOUBLE_EQ(objective.validate().score, 1.0);
  const ClassificationEngine classifier =
      ClassificationEngine::load(path("run") / "model.safetensors");
  const std::vector<Classification> found = classifier.classify(kFilms.texts);
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_EQ(found[i].label, static_cast<std::size_t>(kFilms.labels[i])) << kFilms.texts[i];
}

TEST_F(ClassificationRun, ResumedInTheMiddleOfAnEpochIsTheSameRun) {
  options_.max_steps = 12;
  const ClassificationSetting setting{
      .batch_tokens = 20, .seed = 1, .dropout = 0.1f, .loss = {.word_dropout = 0.2f}};
  ClassificationObjective whole = objective_of(setting);
  ASSERT_GT(whole.batches(0), 2) << "epochs must be longer than a step";
  train("whole", whole);
  ClassificationObjective first = objective_of(setting), second = objective_of(setting);
  train("parts", first, false, 7);
  train("parts", second, true);
  for (const char* const file : {"checkpoints/step-00000012.safetensors", "model.safetensors"})
    EXPECT_EQ(read(path("parts") / file), read(path("whole") / file)) << file;
}

}  // namespace
}  // namespace attend
