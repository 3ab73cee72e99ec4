#include "attend/train/log/training_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "attend/error.h"

namespace attend {
namespace {

using Json = nlohmann::ordered_json;

class TrainingLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ =
        std::filesystem::path(::testing::TempDir()) /
        (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) + ".jsonl");
    std::filesystem::remove(path_);
  }
  void TearDown() override { std::filesystem::remove(path_); }

  static StepEvent step_event(std::int64_t step, double clock) {
    StepEvent event;
    event.step = step;
    event.epoch = 1 + step / 4;
    event.loss = 10.0 / static_cast<double>(step) + 0.1;
    event.nll = event.loss - 0.05;
    event.learning_rate = 1e-4 * static_cast<double>(step);
    event.gradient_norm = 1.5;
    event.tokens = 100 + step;
    event.source_tokens = 90 + step;
    event.seconds = clock * static_cast<double>(step);
    event.tokens_per_second = 100 / clock;
    return event;
  }

  // Steps (from, to], validated every 3 steps.
  void run(std::int64_t from, std::int64_t to, TrainingEnd reason, double clock,
           TrainingLogOptions options = {}) const {
    TrainingLog log(path_, options);
    log.on_start({.resumed_step = from,
                  .total_steps = 10,
                  .parameters = 123,
                  .seed = 7,
                  .resumed_from = ""});
    train(log, from, to, clock);
    log.on_end({to, reason, clock * 10});
  }
  static void train(TrainingLog& log, std::int64_t from, std::int64_t to, double clock) {
    for (std::int64_t step = from + 1; step <= to; ++step) {
      log.on_step(step_event(step, clock));
      if (step % 3 == 0) log.on_validation({step, 1, 2.5, 2.4, {{"bleu", 12.5}}, step == 3, clock});
    }
  }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<Json> lines() const {
    std::ifstream file(path_);
    std::vector<Json> parsed;
    for (std::string line; std::getline(file, line);) parsed.push_back(Json::parse(line));
    return parsed;
  }
  std::vector<Json> lines_without_times() const {
    std::vector<Json> parsed = lines();
    for (Json& line : parsed) line.erase("time");
    return parsed;
  }
  void append(const std::string& text) const {
    std::ofstream(path_, std::ios::app | std::ios::binary) << text;
  }

  std::filesystem::path path_;
};

TEST_F(TrainingLogTest, BeginsWithItsVersion) {
  run(0, 1, TrainingEnd::finished, 0.5);
  const Json first = lines().front();
  EXPECT_EQ(first["attend_log"], 2);
  EXPECT_EQ(first["seed"], 7);
  EXPECT_EQ(first["parameters"], 123);
  EXPECT_EQ(first["total_steps"], 10);
  EXPECT_EQ(bytes().find("{\"attend_log\":2,"), 0u);
}

TEST_F(TrainingLogTest, HoldsStepsValidationsAndTheEnd) {
  run(0, 4, TrainingEnd::stopped_early, 0.5);
  const std::vector<Json> all = lines();
  ASSERT_EQ(all.size(), 7u);  // header, 4 steps, 1 validation, end
  EXPECT_EQ(all[1]["event"], "step");
  EXPECT_EQ(all[1]["loss"].get<double>(), 10.1);
  EXPECT_NEAR(all[1]["perplexity"].get<double>(), std::exp(10.05), 1e-6);
  EXPECT_EQ(all[1]["tokens"], 101);
  EXPECT_EQ(all[1]["time"]["tokens_per_second"], 200.0);
  EXPECT_EQ(all[4]["event"], "validation");
  EXPECT_EQ(all[4]["bleu"], 12.5);
  EXPECT_EQ(all[4]["best"], true);
  EXPECT_EQ(all[6]["event"], "end");
  EXPECT_EQ(all[6]["reason"], "stopped early");
}

TEST_F(TrainingLogTest, CountsEpochsFromOne) {
  run(0, 4, TrainingEnd::finished, 0.5);
  EXPECT_EQ(lines()[1]["epoch"], 1);
  EXPECT_EQ(lines()[4]["epoch"], 1) << "a validation";
  EXPECT_EQ(lines()[5]["epoch"], 2);
}

// The first version of the log counted them from 0.
TEST_F(TrainingLogTest, GoesOnInALogOfTheFirstVersionAsThatBegan) {
  append("{\"attend_log\":1}\n{\"event\":\"step\",\"step\":3,\"epoch\":0}\n");
  run(3, 6, TrainingEnd::finished, 0.5);
  EXPECT_EQ(lines()[0]["attend_log"], 1);
  EXPECT_EQ(lines()[2]["step"], 4);
  EXPECT_EQ(lines()[2]["epoch"], 1) << "the second";
  EXPECT_EQ(lines()[5]["event"], "validation");
  EXPECT_EQ(lines()[5]["epoch"], 0);
}

TEST_F(TrainingLogTest, KnowsTheSecondsUpToAStep) {
  run(0, 8, TrainingEnd::interrupted, 2);
  EXPECT_EQ(logged_seconds(path_, 5), 10.0);
  EXPECT_EQ(logged_seconds(path_, 8), 20.0) << "with what came after the last step";
  EXPECT_EQ(logged_seconds(path_, 0), 0.0);
  append("{\"step\":1,\"time\":3}\n[]\nno JSON\n{\"step\":\"x\"}\n{\"step\":8,\"time\":{}}\n");
  EXPECT_EQ(logged_seconds(path_, 8), 20.0);
  EXPECT_EQ(logged_seconds("no such file", 8), 0.0);
}

TEST_F(TrainingLogTest, KeepsEveryDigitOfALoss) {
  TrainingLog log(path_);
  log.on_start({});
  StepEvent event = step_event(1, 1);
  event.loss = 0.1f + 1e-9;
  log.on_step(event);
  EXPECT_EQ(lines()[1]["loss"].get<double>(), event.loss);
}

TEST_F(TrainingLogTest, WritesNotANumberAsNull) {
  TrainingLog log(path_);
  log.on_start({});
  StepEvent event = step_event(1, 1);
  event.loss = std::numeric_limits<double>::quiet_NaN();
  event.gradient_norm = std::numeric_limits<double>::infinity();
  log.on_step(event);
  EXPECT_TRUE(lines()[1]["loss"].is_null());
  EXPECT_TRUE(lines()[1]["gradient_norm"].is_null());
}

TEST_F(TrainingLogTest, CanBeReadWhileTheRunGoesOn) {
  TrainingLog log(path_);
  log.on_start({});
  log.on_step(step_event(1, 1));
  EXPECT_EQ(lines().size(), 2u);
}

TEST_F(TrainingLogTest, LogsEveryNthStepWhenAsked) {
  run(0, 10, TrainingEnd::finished, 1, {.every = 5});
  int steps = 0;
  for (const Json& line : lines()) steps += line.value("event", "") == "step";
  EXPECT_EQ(steps, 2);
  EXPECT_THROW(TrainingLog(path_, {.every = 0}), ConfigError);
}

TEST_F(TrainingLogTest, OfAResumedRunEqualsAnUninterruptedOne) {
  run(0, 10, TrainingEnd::finished, 0.5);
  const std::vector<Json> uninterrupted = lines_without_times();
  for (std::int64_t interrupted = 1; interrupted < 10; ++interrupted) {
    for (std::int64_t saved = 1; saved <= interrupted;
         ++saved) {  // killed after the checkpoint of an earlier step
      run(0, interrupted, TrainingEnd::interrupted, 0.7);
      run(saved, 10, TrainingEnd::finished, 0.9);
      EXPECT_EQ(lines_without_times(), uninterrupted)
          << "saved at " << saved << ", interrupted at " << interrupted;
    }
  }
}

TEST_F(TrainingLogTest, HasAValidationThatIsMadeAgainOnce) {
  run(0, 10, TrainingEnd::finished, 0.5);
  const std::vector<Json> uninterrupted = lines_without_times();
  run(0, 6, TrainingEnd::interrupted,
      0.5);  // validated, but killed before the checkpoint of step 6 knew of it
  {
    TrainingLog log(path_);
    log.on_start({.resumed_step = 6,
                  .total_steps = 10,
                  .parameters = 123,
                  .seed = 7,
                  .resumed_from = "",
                  .validates_again = true});
    log.on_validation({6, 1, 2.5, 2.4, {{"bleu", 12.5}}, false, 0.5});
    train(log, 6, 10, 0.5);
    log.on_end({10, TrainingEnd::finished, 5});
  }
  EXPECT_EQ(lines_without_times(), uninterrupted);
}

TEST_F(TrainingLogTest, DropsALineThatAKillCutShort) {
  run(0, 10, TrainingEnd::finished, 0.5);
  const std::vector<Json> uninterrupted = lines_without_times();
  for (const char* torn :
       {"{\"event\":\"step\",\"step\":5,\"lo", "{\"event\":\"step\",\"step\":4}", "{\"event\n"}) {
    {
      TrainingLog log(path_);
      log.on_start({.total_steps = 10, .parameters = 123, .seed = 7, .resumed_from = ""});
      train(log, 0, 4, 0.5);
    }
    append(torn);
    run(4, 10, TrainingEnd::finished, 0.5);
    EXPECT_EQ(lines_without_times(), uninterrupted) << torn;
  }
}

TEST_F(TrainingLogTest, StartsAnewWhenThereIsNothingToContinue) {
  run(5, 6, TrainingEnd::finished, 1);
  EXPECT_EQ(lines().size(), 4u);  // header, step 6 and its validation, end
  EXPECT_EQ(lines()[1]["step"], 6);
}

TEST_F(TrainingLogTest, OverwritesTheLogOfAnEarlierRun) {
  run(0, 10, TrainingEnd::finished, 1);
  run(0, 1, TrainingEnd::finished, 1);
  EXPECT_EQ(lines().size(), 3u);
}

TEST_F(TrainingLogTest, RefusesAForeignOrDamagedFile) {
  const auto message = [&] {
    try {
      run(3, 4, TrainingEnd::finished, 1);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  append("{\"loss\":1}\n{\"loss\":2}\n");
  EXPECT_NE(message().find(path_.string() + ":1: expected the first line of a training log"),
            std::string::npos)
      << message();
  std::filesystem::remove(path_);
  append("{\"attend_log\":3}\n");
  EXPECT_NE(message().find("version 3"), std::string::npos) << message();
  std::filesystem::remove(path_);
  append("{\"attend_log\":1}\nnot json\n{\"event\":\"step\",\"step\":2}\n");
  EXPECT_NE(message().find(path_.string() + ":2: "), std::string::npos) << message();
}

TEST_F(TrainingLogTest, NeverLosesALineSilently) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  TrainingLog log("/dev/full");
  EXPECT_THROW(log.on_start({}), IoError);
  EXPECT_THROW(TrainingLog("/no/such/folder/log.jsonl").on_start({}), IoError);
}

}  // namespace
}  // namespace attend
