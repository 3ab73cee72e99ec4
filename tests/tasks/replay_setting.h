// Trains a model with and without old text, and looks at what it has forgotten.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attend/tasks/training/training_task.h"
#include "attend/train/trainer.h"
#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {

// Options: those of a task with `replay`, `initial` and `trainer`.
template <class Options>
class ReplayTest : public FolderTest {
 protected:
  ReplayTest() {
    options_.trainer.schedule.learning_rate = 5e-3f;
    options_.trainer.schedule.warmup_steps = 10;
    options_.trainer.valid_every = options_.trainer.save_every = 0;
  }

  // Trains with `o`; later trainings begin with the result.
  void begin_with(Options o, int steps) {
    o.trainer.max_steps = steps;
    options_.initial = std::make_shared<const Checkpoint>(trained(o));
    adopt_model(options_, *options_.initial);
  }
  Checkpoint trained(const Options& o) {
    TrainingTask task = prepare_training(o, nullptr);
    notes_ = fmt::format("{}", fmt::join(task.notes, "\n"));
    const std::filesystem::path folder = path(fmt::format("run{}", ++runs_));
    Trainer(*task.objective, o.trainer, run_of(task, RunFolder(folder), false)).train();
    last_ = task.objective->can_validate() ? task.objective->validate() : Validation{};
    return load_checkpoint(folder);
  }
  // Of the validation of the last training.
  double metric(std::string_view name) const {
    for (const auto& [key, value] : last_.metrics)
      if (key == name) return value;
    ADD_FAILURE() << "no " << name;
    return 0;
  }
  static double loss(TrainingTask& task, std::int64_t batch = 0) {
    Pass pass = Pass::training(1, 1);
    return task.objective->loss(0, batch, 1.0, pass).loss_sum;
  }
  double loss_of(const Options& o, std::int64_t batch = 0) {
    TrainingTask task = prepare_training(o, nullptr);
    return loss(task, batch);
  }

  // The model to begin with is the teacher of all text, or of the old text that `replay` adds.
  void expect_lessons_of_the_old_model(const std::function<void(Options&)>& replay) {
    const double none = loss_of(options_);
    Options o = options_;
    o.replay.distill_weight = 1.0f;
    EXPECT_NEAR(loss_of(o), 0, 1e-3) << "the model is its own teacher before it has learned";
    o.replay.distill_weight = 0.5f;
    EXPECT_NEAR(loss_of(o), none / 2, 1e-3 * none);
    replay(o);
    o.replay.weight = 1.0f;
    o.replay.distill_weight = 1.0f;
    EXPECT_NEAR(loss_of(o, 0), none, 1e-3 * none) << "new text has no teacher then";
    EXPECT_NEAR(loss_of(o, 1), 0, 1e-3);
  }
  // A new model without dropout, whose teachers are two models that `options` trains, or the second
  // of them as the model to start from, learns the mean of what they would teach it alone.
  void expect_lessons_of_teachers(const std::function<void(Options&, int)>& vary) {
    std::vector<std::shared_ptr<const Checkpoint>> teachers;
    for (int i = 0; i < 2; ++i) {
      Options o = options_;
      vary(o, i);
      o.trainer.max_steps = 20;
      o.trainer.seed = static_cast<std::uint64_t>(i + 5);
      o.teachers.assign(teachers.begin(), teachers.end());
      if (i > 0) o.replay.distill_weight = 0.5f;  // takes the vocabulary of the first
      teachers.push_back(std::make_shared<const Checkpoint>(trained(o)));
    }
    Options o = options_;
    o.replay.distill_weight = 1.0f;
    const auto taught_by = [&](std::vector<std::shared_ptr<const Checkpoint>> models) {
      o.teachers = std::move(models);
      return loss_of(o);
    };
    const double first = taught_by({teachers[0]}), second = taught_by({teachers[1]}),
                 both = taught_by(teachers);
    EXPECT_NEAR(taught_by({teachers[0], teachers[0]}), first, 1e-5 * first);
    EXPECT_NEAR(taught_by({teachers[1], teachers[0]}), both, 1e-5 * both);
    EXPECT_NE(both, first);
    EXPECT_GT(both, 0);
    // The divergence from a mean is at most the mean of the divergences, as it is convex.
    EXPECT_LT(both, (first + second) / 2);
    o.replay.distill_weight = 0;
    expect_error<ConfigError>([&] { prepare_training(o, nullptr); },
                              {"teachers", "distill_weight"});
  }
  // Batches of old text among those of an epoch, for each batch of new text.
  double share_of_old_text(const Options& o) {
    Options alone = o;
    alone.replay = {};
    const TrainingTask one = prepare_training(alone, nullptr), both = prepare_training(o, nullptr);
    const auto count = static_cast<double>(one.objective->batches(0));
    return (static_cast<double>(both.objective->batches(0)) - count) / count;
  }
  void expect_refused(const std::function<void(Options&)>& set,
                      std::initializer_list<std::string_view> parts) {
    Options o = options_;
    set(o);
    expect_error<ConfigError>([&] { prepare_training(o, nullptr); }, parts);
  }

  Options options_;
  std::string notes_;
  Validation last_;

 private:
  int runs_ = 0;
};

}  // namespace attend
