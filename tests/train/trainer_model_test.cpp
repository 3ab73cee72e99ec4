// The model that a run leaves: the best by validation, moving averages, averages of checkpoints.
#include <algorithm>

#include "attend/train/trainer.h"
#include "train/toy_run.h"

namespace attend {
namespace {

TEST_F(TrainerTest, KeepsTheBestModelAndTheLastCheckpoints) {
  options_.save_every = 3;
  options_.keep_checkpoints = 3;
  ToyRun run;
  run.objective.scores = {1, 3, 2, 3};  // steps 3, 6, 9, 12: an equal score is no better one
  run.train(path("run"), options_);
  EXPECT_EQ(saved_steps("run"), (std::vector<std::int64_t>{6, 9, 12}));
  const std::vector<float> model = parameters_in(path("run") / "model.safetensors");
  EXPECT_EQ(model, parameters_in(checkpoint("run", 6)));
  EXPECT_NE(model, parameters_in(checkpoint("run", 12)));
  EXPECT_EQ(run.objective.parameters().values().to_vector(), parameters_in(checkpoint("run", 12)));
  EXPECT_EQ(load_checkpoint(path("run") / "model.safetensors").text("attend.task"), "toy");
}

TEST_F(TrainerTest, WithoutValidationLeavesTheNewestModel) {
  ToyRun run;
  run.objective.validates = false;
  run.train(path("run"), options_);
  EXPECT_EQ(parameters_in(path("run") / "model.safetensors"),
            run.objective.parameters().values().to_vector());
}

TEST_F(TrainerTest, SavesAMovingAverageThatFollowsTheParameters) {
  ToyRun run;
  const std::vector<float> initial = run.objective.parameters().values().to_vector();
  options_.ema_decay = 0.9f;
  run.train(path("run"), options_);
  const std::vector<float> trained = run.objective.parameters().values().to_vector();
  const std::vector<float> saved = parameters_in(checkpoint("run", options_.max_steps));
  EXPECT_NE(saved, trained);
  EXPECT_NE(saved, initial);
}

TEST_F(TrainerTest, ValidatesAndSavesTheMovingAverage) {
  options_.ema_decay = 0.9f;
  ToyRun run;
  run.train(path("run"), options_);
  const Checkpoint last = load_checkpoint(checkpoint("run", 12));
  EXPECT_EQ(last.tensor("state.parameters").to_vector(),
            run.objective.parameters().values().to_vector());
  EXPECT_EQ(run.objective.validated_with.back(), parameters_in(checkpoint("run", 12)));
  EXPECT_NE(run.objective.validated_with.back(), run.objective.parameters().values().to_vector());
}

TEST_F(TrainerTest, SamplesOnlyTheModelAndWithTheParametersThatAreSaved) {
  for (const bool averages : {false, true}) {
    options_.ema_decay = averages ? 0.9f : 0.0f;
    options_.average_last = averages ? 2 : 0;
    const std::string name = averages ? "averages" : "parameters";
    ToyRun run;
    run.objective.scores = {1, 2, 3, 4, 5, 6, 7};
    std::vector<float> sampled;
    int samples = 0;
    run.add_samples = [&](Checkpoint& model) {
      sampled = run.objective.parameters().values().to_vector();
      model.metadata["attend.golden"] = std::to_string(++samples);
    };
    run.train(path(name), options_);
    const Checkpoint model = load_checkpoint(path(name) / "model.safetensors");
    EXPECT_EQ(model.text("attend.golden"), std::to_string(samples));
    EXPECT_EQ(sampled, parameters_in(path(name) / "model.safetensors"));
    for (const std::int64_t step : saved_steps(name))
      EXPECT_FALSE(load_checkpoint(checkpoint(name, step)).metadata.contains("attend.golden"));
    EXPECT_EQ(averages, run.objective.parameters().values().to_vector() != sampled) << "put back";
  }
}

TEST_F(TrainerTest, TakesTheAverageOfTheLastCheckpointsWhenItIsBetter) {
  options_.valid_every = 0;
  options_.average_last = 2;
  for (const auto& [score, best] : {std::pair{5.0, true}, {3.0, false}}) {
    const std::string name = best ? "better" : "worse";
    ToyRun run;
    run.objective.scores = {4, score};  // of step 12, then of the average
    run.train(path(name), options_);
    EXPECT_EQ(*(run.recorder.calls.end() - 2), best ? "average 12 best" : "average 12");
    std::vector<float> expected = parameters_in(checkpoint(name, 12));
    const std::vector<float> before = parameters_in(checkpoint(name, 8));
    for (std::size_t i = 0; best && i < expected.size(); ++i)
      expected[i] = static_cast<float>(
          (static_cast<double>(expected[i]) + static_cast<double>(before[i])) / 2);
    EXPECT_EQ(parameters_in(path(name) / "model.safetensors"), expected) << name;
    EXPECT_EQ(run.objective.parameters().values().to_vector(), parameters_in(checkpoint(name, 12)))
        << "put back after validation";
  }
}

TEST_F(TrainerTest, TakesTheAverageOnTrustWhereNothingIsValidated) {
  options_.average_last = 3;
  ToyRun run;
  run.objective.validates = false;
  run.train(path("run"), options_);
  EXPECT_NE(parameters_in(path("run") / "model.safetensors"), parameters_in(checkpoint("run", 12)));
}

}  // namespace
}  // namespace attend
