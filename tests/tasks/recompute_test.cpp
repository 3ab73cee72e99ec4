// Training that computes its activations again: the same gradients, bit for bit, in less memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/core/random/random.h"
#include "attend/error.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/translation/training/training.h"
#include "attend/tensor/allocator.h"
#include "attend/train/low_rank_objective.h"
#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class RecomputedTraining : public FolderTest {
 protected:
  RecomputedTraining() {
    std::string text, labeled, tagged, pairs;
    for (int i = 0; i < 300; ++i) {
      const std::string line = i % 3 == 0   ? "old dogs seldom see small cats and older dogs"
                               : i % 3 == 1 ? "small cats see dogs"
                                            : "older cats seldom see";
      text += line + "\n";
      labeled += (i % 2 == 0 ? "one\t" : "two\t") + line + "\n";
      tagged += "old A\ndogs B\nsee O\nsmall A\ncats B\n\n";
      pairs += fmt::format("{} {}\t{} see {}\n", line, i, i, line);
    }
    write(path("text"), text);
    write(path("labeled"), labeled);
    write(path("tagged"), tagged);
    write(path("pairs"), pairs);
  }

  // Of a deep stack with every dropout.
  template <class Stack>
  void shape(Stack& stack) const {
    stack.d_model = 32;
    stack.n_heads = 4;
    stack.d_ff = 64;
    stack.dropout = 0.2f;
    stack.attention_dropout = stack.activation_dropout = 0.1f;
  }

  struct Step {
    std::vector<float> gradients;
    double loss = 0;
    std::int64_t peak = 0;  // beyond what there was before
  };
  static Step step(Objective& objective, bool recompute, Precision precision = Precision::f32) {
    ParameterSet& parameters = objective.parameters();
    parameters.gradients().zero();
    Pass pass = Pass::training(3, 5, precision);
    pass.recompute = recompute;
    reset_peak_memory();
    const std::int64_t before = memory_statistics().bytes_in_use;
    BatchLoss loss = objective.loss(0, 0, 1.0, pass);
    std::vector<std::pair<Tensor, std::vector<float>>> reported;
    const LeafDone report = [&](const Tensor& gradient) {
      reported.emplace_back(gradient, gradient.to_vector());
    };
    backward(loss.loss, {}, recompute ? LeafDone() : report);
    for (const auto& [gradient, then] : reported)
      EXPECT_TRUE(gradient.to_vector() == then) << "was not complete when it was reported";
    EXPECT_EQ(reported.empty(), recompute);
    return {parameters.gradients().to_vector(), loss.loss_sum,
            memory_statistics().peak_bytes - before};
  }
  static void expect_equal(Objective& objective, Precision precision = Precision::f32) {
    const Step plain = step(objective, false, precision), again = step(objective, true, precision);
    EXPECT_EQ(plain.loss, again.loss);
    EXPECT_TRUE(plain.gradients == again.gradients);
    EXPECT_LT(again.peak, plain.peak / 2);
  }
  // Adapters that already change what the model computes.
  static void adapt(TrainingTask& task) {
    task.objective = std::make_unique<LowRankObjective>(
        std::move(task.objective), LowRankOptions{.rank = 2}, std::set<std::string>{}, 1);
    const Tensor& values = task.objective->parameters().values();
    Random random({4, 1});
    std::vector<float> drawn(static_cast<std::size_t>(values.size()));
    for (float& value : drawn) value = 0.1f * random.normal();
    values.copy_from(Tensor::from(drawn, values.shape()));
  }
  // A whole model and its adapters, in both precisions.
  template <class Options>
  static void expect_equal(Options options) {
    options.data.batch.batch_tokens = 2000;
    TrainingTask task = prepare_training(options, nullptr);
    expect_equal(*task.objective);
    expect_equal(*task.objective, Precision::bf16);
    adapt(task);
    expect_equal(*task.objective);
  }
};

TEST_F(RecomputedTraining, OfClassifiers) {
  ClassificationTraining options;
  options.data.train = {path("labeled")};
  options.tokenizer.vocab_size = 40;
  shape(options.model);
  options.model.n_encoder_layers = 8;
  options.model.bigram_buckets = 10;
  expect_equal(options);
  options.model.norm_first = true;
  options.model.positions = PositionKind::relative;
  expect_equal(options);
}

TEST_F(RecomputedTraining, OfLanguageModels) {
  LanguageTraining options;
  options.data.train = {path("text")};
  options.vocabulary.vocab_size = 40;
  shape(options.model);
  options.model.n_layers = 8;
  expect_equal(options);
}

TEST_F(RecomputedTraining, OfTaggers) {
  TaggingTraining options;
  options.data.train = {path("tagged")};
  options.tokenizer.vocab_size = 40;
  shape(options.model);
  options.model.n_encoder_layers = 8;
  expect_equal(options);
}

TEST_F(RecomputedTraining, OfEmbedders) {
  EmbeddingTraining options;
  options.data.train = {path("pairs")};
  options.tokenizer.vocab_size = 60;
  shape(options.model);
  options.model.n_encoder_layers = 8;
  expect_equal(options);
}

TEST_F(RecomputedTraining, OfTranslators) {
  TranslationTraining options;
  options.data.src_train = options.data.tgt_train = {path("text")};
  options.vocabulary.tokenizer.vocab_size = 40;
  shape(options.model.transformer);
  options.model.transformer.n_encoder_layers = options.model.transformer.n_decoder_layers = 6;
  expect_equal(options);
  options.loss.training.r_drop = 2.0f;
  expect_equal(options);
}

// Which do not recompute anything, but report when a gradient is complete.
TEST_F(RecomputedTraining, IsNotForRecurrentTranslators) {
  TranslationTraining options;
  options.data.src_train = options.data.tgt_train = {path("text")};
  options.vocabulary.tokenizer.vocab_size = 40;
  options.model.arch = Architecture::rnn;
  shape(options.model.transformer);
  TrainingTask task = prepare_training(options, nullptr);
  EXPECT_GT(step(*task.objective, false).loss, 0);
  options.trainer.recompute = true;
  expect_error<ConfigError>([&] { prepare_training(options, nullptr); },
                            {"recompute", "arch transformer"});
}

TEST_F(RecomputedTraining, LeavesFrozenLayersAlone) {
  ClassificationTraining options;
  options.data.train = {path("labeled")};
  options.tokenizer.vocab_size = 40;
  shape(options.model);
  options.model.n_encoder_layers = 4;
  TrainingTask task = prepare_training(options, nullptr);
  options.trainer.freeze = {"embedding.*", "encoder.layers.[0-2].*"};
  freeze_parameters(task.objective->parameters(), options.trainer);
  const Step plain = step(*task.objective, false), again = step(*task.objective, true);
  EXPECT_EQ(plain.loss, again.loss);
  EXPECT_TRUE(plain.gradients == again.gradients);
}

TEST_F(RecomputedTraining, IsWhatTheTrainerIsToldToDo) {
  LanguageTraining options;
  options.data.train = {path("text")};
  options.data.batch.batch_tokens = 2000;
  options.vocabulary.vocab_size = 40;
  shape(options.model);
  options.model.n_layers = 8;
  const auto peak = [&](bool recompute) {
    options.trainer.recompute = recompute;
    TrainingTask task = prepare_training(options, nullptr);
    Trainer trainer(*task.objective, options.trainer, run_of(task, RunFolder("none"), false));
    reset_peak_memory();
    const std::int64_t before = memory_statistics().bytes_in_use;
    trainer.update();
    return memory_statistics().peak_bytes - before;
  };
  const std::int64_t plain = peak(false);
  EXPECT_LT(peak(true), plain / 2);
}

}  // namespace
}  // namespace attend
