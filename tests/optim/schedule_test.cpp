#include "attend/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

constexpr int kWidth = 512;
constexpr int kWarmup = 400;
constexpr std::int64_t kSteps = 2000;

ScheduleOptions options_of(ScheduleKind kind) {
  ScheduleOptions options;
  options.kind = kind;
  options.learning_rate = 1e-3f;
  options.warmup_steps = kWarmup;
  return options;
}

std::unique_ptr<Schedule> schedule_of(ScheduleKind kind) {
  return make_schedule(options_of(kind), kWidth, kSteps);
}

TEST(Schedule, NoamIsEquationThreeOfThePaper) {
  ScheduleOptions options = options_of(ScheduleKind::noam);
  options.learning_rate = 1.0f;
  options.warmup_steps = 4000;
  const auto schedule = make_schedule(options, kWidth, 100000);
  for (const std::int64_t step : {1, 2, 100, 3999, 4000, 4001, 20000, 100000}) {
    const auto s = static_cast<double>(step);
    const double expected =
        std::pow(512.0, -0.5) * std::min(std::pow(s, -0.5), s * std::pow(4000.0, -1.5));
    EXPECT_NEAR(schedule->at(step), expected, expected * 1e-6) << "step " << step;
  }
}

TEST(Schedule, NoamIsScaledByTheLearningRate) {
  ScheduleOptions options = options_of(ScheduleKind::noam);
  options.learning_rate = 1.0f;
  const auto one = make_schedule(options, kWidth, kSteps);
  options.learning_rate = 2.0f;
  const auto two = make_schedule(options, kWidth, kSteps);
  for (const std::int64_t step : {1, 400, 2000}) EXPECT_FLOAT_EQ(two->at(step), 2 * one->at(step));
}

TEST(Schedule, EveryKindRisesInAStraightLineToItsPeak) {
  for (const ScheduleKind kind : {ScheduleKind::inverse_sqrt, ScheduleKind::linear,
                                  ScheduleKind::cosine, ScheduleKind::constant}) {
    const auto schedule = schedule_of(kind);
    EXPECT_FLOAT_EQ(schedule->at(1), 1e-3f / kWarmup);
    EXPECT_FLOAT_EQ(schedule->at(kWarmup / 2), 0.5e-3f);
    EXPECT_FLOAT_EQ(schedule->at(kWarmup), 1e-3f);
  }
}

TEST(Schedule, NoneJumpsAtTheEndOfItsWarmUp) {
  for (const ScheduleKind kind :
       {ScheduleKind::inverse_sqrt, ScheduleKind::noam, ScheduleKind::linear, ScheduleKind::cosine,
        ScheduleKind::constant}) {
    const auto schedule = schedule_of(kind);
    EXPECT_NEAR(schedule->at(kWarmup + 1) / schedule->at(kWarmup), 1.0, 0.01);
  }
}

TEST(Schedule, InverseSquareRootHalvesInFourTimesTheSteps) {
  const auto schedule = schedule_of(ScheduleKind::inverse_sqrt);
  EXPECT_FLOAT_EQ(schedule->at(4 * kWarmup), 0.5e-3f);
  EXPECT_FLOAT_EQ(schedule->at(kSteps), static_cast<float>(1e-3 * std::sqrt(400.0 / 2000.0)));
}

TEST(Schedule, LinearAndCosineEndAtTheMinimum) {
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine}) {
    ScheduleOptions options = options_of(kind);
    options.min_learning_rate = 1e-4f;
    const auto schedule = make_schedule(options, kWidth, kSteps);
    EXPECT_FLOAT_EQ(schedule->at((kWarmup + kSteps) / 2), 0.55e-3f) << "half way";
    EXPECT_FLOAT_EQ(schedule->at(kSteps), 1e-4f);
    EXPECT_FLOAT_EQ(schedule->at(kSteps + 100), 1e-4f) << "past the end";
    EXPECT_NEAR(schedule_of(kind)->at(kSteps), 0.0f, 1e-10f);
  }
}

TEST(Schedule, CosineAQuarterOfTheWayIsAboveTheLine) {
  const std::int64_t quarter = kWarmup + (kSteps - kWarmup) / 4;
  EXPECT_FLOAT_EQ(schedule_of(ScheduleKind::linear)->at(quarter), 0.75e-3f);
  EXPECT_FLOAT_EQ(schedule_of(ScheduleKind::cosine)->at(quarter),
                  static_cast<float>(1e-3 * 0.5 * (1 + std::sqrt(0.5))));
}

TEST(Schedule, ConstantStaysAtItsPeak) {
  for (const std::int64_t step : {401, 1000, 2000, 1'000'000})
    EXPECT_FLOAT_EQ(schedule_of(ScheduleKind::constant)->at(step), 1e-3f);
}

TEST(Schedule, MayDoWithoutWarmUp) {
  for (const ScheduleKind kind : {ScheduleKind::inverse_sqrt, ScheduleKind::linear,
                                  ScheduleKind::cosine, ScheduleKind::constant}) {
    ScheduleOptions options = options_of(kind);
    options.warmup_steps = 0;
    EXPECT_FLOAT_EQ(make_schedule(options, kWidth, kSteps)->at(1), 1e-3f);
  }
}

TEST(Schedule, StaysFiniteWhenTheWarmUpOutlastsTheRun) {
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine}) {
    const auto schedule = make_schedule(options_of(kind), kWidth, kWarmup);
    EXPECT_FLOAT_EQ(schedule->at(kWarmup), 1e-3f);
    EXPECT_FLOAT_EQ(make_schedule(options_of(kind), kWidth, 10)->at(10), 1e-3f * 10 / kWarmup);
  }
}

TEST(Schedule, RefusesWhatMakesNoSense) {
  const auto make = [](auto&& change) {
    ScheduleOptions options = options_of(ScheduleKind::linear);
    change(options);
    make_schedule(options, kWidth, kSteps);
  };
  expect_error<ConfigError>([&] { make([](ScheduleOptions& o) { o.learning_rate = 0.0f; }); },
                            {"learning_rate", "above 0", "0"});
  expect_error<ConfigError>([&] { make([](ScheduleOptions& o) { o.learning_rate = NAN; }); },
                            {"learning_rate", "nan"});
  expect_error<ConfigError>([&] { make([](ScheduleOptions& o) { o.warmup_steps = -1; }); },
                            {"warmup_steps", "from 0", "-1"});
  expect_error<ConfigError>([&] { make([](ScheduleOptions& o) { o.min_learning_rate = 2e-3f; }); },
                            {"min_learning_rate", "0.002"});
  expect_error<ConfigError>([&] { make([](ScheduleOptions& o) { o.min_learning_rate = -1.0f; }); },
                            {"min_learning_rate", "-1"});
  expect_error<ConfigError>([&] { make_schedule(options_of(ScheduleKind::noam), 0, kSteps); },
                            {"noam", "d_model"});
}

}  // namespace
}  // namespace attend
