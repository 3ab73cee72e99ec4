#include "attend/tasks/translation/training/objective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tasks/translation/objective_setting.h"
#include "tasks/two_passes.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

TEST(TranslationObjective, LosesInABatchWhatItsSentencesLose) {
  TranslationObjective together = translation_of({}), alone = translation_of({.batch_tokens = 1});
  ASSERT_EQ(together.batches(0), 1);
  ASSERT_EQ(alone.batches(0), 8);
  const auto targets = static_cast<double>(together.size(0, 0).targets);
  Pass pass = Pass::inference();
  const BatchLoss whole = together.loss(0, 0, targets, pass);
  EXPECT_NEAR(whole.loss.value().item(), whole.loss_sum / targets, 1e-6);
  backward(whole.loss);

  double loss = 0, nll = 0;
  std::int64_t sources = 0, counted = 0;
  for (std::int64_t i = 0; i < 8; ++i) {
    const BatchLoss part = alone.loss(0, i, targets, pass);
    backward(part.loss);
    loss += part.loss_sum;
    nll += part.nll_sum;
    counted += alone.size(0, i).targets;
    sources += alone.size(0, i).sources;
  }
  EXPECT_NEAR(loss, whole.loss_sum, 1e-5 * whole.loss_sum);
  EXPECT_NEAR(nll, whole.nll_sum, 1e-5 * whole.nll_sum);
  EXPECT_EQ(static_cast<double>(counted), targets);
  EXPECT_EQ(sources, together.size(0, 0).sources);
  const std::vector<float> expected = together.parameters().gradients().to_vector(),
                           actual = alone.parameters().gradients().to_vector();
  for (std::size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], 1e-6) << "gradient " << i;
}

TEST(TranslationObjective, CountsTargetsAndSourcesWithTheirEnds) {
  const TranslationModel model = learning_model(0.0f);
  TranslationObjective objective = translation_of({});
  std::int64_t targets = 0, sources = 0;
  for (const std::string& text : kPairs.tgt)
    targets += std::ssize(model.tgt_tokenizer.encode(text)) + 1;
  for (const std::string& text : kPairs.src)
    sources += std::ssize(model.src_tokenizer.encode(text)) + 1;
  EXPECT_EQ(objective.size(0, 0).targets, targets);
  EXPECT_EQ(objective.size(0, 0).sources, sources);
}

TEST(TranslationObjective, SmoothsTheLossButNotTheLikelihood) {
  TranslationObjective smooth = translation_of({}),
                       sharp = translation_of({.loss = {.label_smoothing = 0.0f}});
  Pass pass = Pass::inference();
  const BatchLoss a = smooth.loss(0, 0, 1.0, pass), b = sharp.loss(0, 0, 1.0, pass);
  EXPECT_EQ(a.nll_sum, b.nll_sum);
  EXPECT_NEAR(b.loss_sum, b.nll_sum, 1e-6 * b.nll_sum);
  EXPECT_NE(a.loss_sum, a.nll_sum);
}

TEST(TranslationObjective, DropsByTheKeyOfThePass) {
  TranslationObjective objective = translation_of({.dropout = 0.3f});
  const auto loss = [&](std::uint64_t seed, std::uint64_t step) {
    Pass pass = Pass::training(seed, step);
    return objective.loss(0, 0, 1.0, pass).loss_sum;
  };
  EXPECT_EQ(loss(1, 1), loss(1, 1));
  EXPECT_NE(loss(1, 1), loss(1, 2));
  EXPECT_NE(loss(1, 1), loss(2, 1));
}

TEST(TranslationObjective, HasNothingToAgreeOnWithoutDropout) {
  TranslationObjective one = translation_of({}), two = translation_of({.loss = {.r_drop = 5.0f}});
  expect_nothing_to_agree_on(one, two);
}

TEST(TranslationObjective, PunishesDisagreementOfTwoPassesInTrainingAlone) {
  TranslationObjective weak = translation_of({.dropout = 0.3f, .loss = {.r_drop = 1.0f}}),
                       strong = translation_of({.dropout = 0.3f, .loss = {.r_drop = 5.0f}}),
                       none = translation_of({.dropout = 0.3f});
  expect_punished_disagreement(none, weak, strong, 1.0);
}

TEST(TranslationObjective, MakesOnePassInTheEpochsBeforeTheFirstWithTwo) {
  TranslationObjective late = translation_of(
                           {.dropout = 0.3f, .loss = {.r_drop = 5.0f, .r_drop_after = 2}}),
                       always = translation_of({.dropout = 0.3f, .loss = {.r_drop = 5.0f}}),
                       never = translation_of({.dropout = 0.3f});
  const auto loss = [](TranslationObjective& objective, std::int64_t epoch) {
    Pass pass = Pass::training(1, 1);
    return objective.loss(epoch, 0, 1.0, pass).loss_sum;
  };
  for (const std::int64_t epoch : {0, 1}) EXPECT_EQ(loss(late, epoch), loss(never, epoch)) << epoch;
  for (const std::int64_t epoch : {2, 3})
    EXPECT_EQ(loss(late, epoch), loss(always, epoch)) << epoch;
  EXPECT_NE(loss(always, 1), loss(never, 1));
  EXPECT_EQ(late.phases(), (std::vector<std::int64_t>{0, 2}));
  EXPECT_EQ(always.phases(), std::vector<std::int64_t>{0});
  EXPECT_EQ(never.phases(), std::vector<std::int64_t>{0});
}

TEST(TranslationObjective, ValidatesWithoutTouchingAnything) {
  TranslationObjective objective = translation_of({.dropout = 0.3f});
  Pass pass = Pass::training(1, 1);
  backward(objective.loss(0, 0, 1.0, pass).loss);
  const std::vector<float> values = objective.parameters().values().to_vector();
  const std::vector<float> gradients = objective.parameters().gradients().to_vector();
  const Validation first = objective.validate(), second = objective.validate();
  EXPECT_EQ(objective.parameters().values().to_vector(), values);
  EXPECT_EQ(objective.parameters().gradients().to_vector(), gradients);
  EXPECT_EQ(first.loss, second.loss);
  EXPECT_EQ(first.nll, second.nll);
  EXPECT_EQ(first.score, second.score);
}

TEST(TranslationObjective, ValidatesPerTargetAndWithoutDropout) {
  TranslationObjective dropping = translation_of({.dropout = 0.3f}), objective = translation_of({});
  const auto targets = static_cast<double>(objective.size(0, 0).targets);
  Pass pass = Pass::inference();
  const BatchLoss loss = objective.loss(0, 0, 1.0, pass);
  const Validation validation = dropping.validate();
  EXPECT_NEAR(validation.loss, loss.loss_sum / targets, 1e-5);
  EXPECT_NEAR(validation.nll, loss.nll_sum / targets, 1e-5);
  ASSERT_EQ(validation.metrics.size(), 1u);
  EXPECT_EQ(validation.metrics[0].first, "bleu");
  EXPECT_EQ(validation.metrics[0].second, validation.score);
}

}  // namespace
}  // namespace attend
