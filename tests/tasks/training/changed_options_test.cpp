#include "attend/tasks/training/changed_options.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/tasks/classification/training.h"
#include "attend/tasks/model_file/registry.h"
#include "checkpoint/test_folder.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

using Lines = std::vector<std::string>;

class ChangedOptions : public FolderTest {
 protected:
  ChangedOptions() {
    for (std::unique_ptr<Trainable>& one : trainable_tasks())
      if (one->name() == "classification") task_ = std::move(one);
  }

  void set(const std::string& name, const std::string& value) {
    for (const OptionGroup& group : task_->option_groups())
      if (const OptionField* field = find_option(group.fields, name))
        set_option(*field, std::vector{value}, name);
  }
  Lines changes(const std::string& saved) {
    write(path("config.toml"), saved);
    return changed_options(path("config.toml"), *task_);
  }

  std::unique_ptr<Trainable> task_;
};

TEST_F(ChangedOptions, AreNoneWhereNothingIsSaved) {
  EXPECT_EQ(changed_options(path("none.toml"), *task_), Lines{});
}

TEST_F(ChangedOptions, AreThoseWithAnotherValue) {
  set("d-model", "64");
  set("train", "all.tsv");
  set("label-smoothing", "0.1");
  EXPECT_EQ(changes("[model]\nd-model = 128\n[data]\ntrain = [\"a.tsv\", \"b.tsv\"]\nvalid = "
                    "[\"c.tsv\"]\n"),
            (Lines{"train was a.tsv b.tsv, is all.tsv", "valid was c.tsv, is not set",
                   "d-model was 128, is 64", "label-smoothing was 0.0, is 0.1"}));
}

TEST_F(ChangedOptions, LeaveOutWhereARunGoesAndWhatItLogs) {
  EXPECT_EQ(changes("[run]\nout = \"elsewhere\"\nthreads = 7\nlog-every = 3\n"), Lines{});
}

TEST_F(ChangedOptions, SayWhatBecomesOfTheSchedule) {
  set("max-steps", "300");
  EXPECT_EQ(changes("max-steps = 600\n"), Lines{"max-steps was 600, is 300"})
      << "the default schedule does not know its end";
  set("schedule", "linear");
  EXPECT_EQ(changes("max-steps = 600\nschedule = \"linear\"\n"),
            Lines{"max-steps was 600, is 300: the schedule changes"});
  set("learning-rate", "0.5");
  EXPECT_EQ(changes("max-steps = 300\nschedule = \"linear\"\n"),
            Lines{"learning-rate was 0.001, is 0.5: the schedule changes"});
}

TEST_F(ChangedOptions, SayWhatStaysAsItIs) {
  set("vocab-size", "500");
  EXPECT_EQ(changes("vocab-size = 1000\n"),
            Lines{"vocab-size was 1000, is 500: the vocabulary stays as it is"});
}

TEST_F(ChangedOptions, AreNotKnownWhereTheFileCannotBeRead) {
  const Lines lines = changes("no-such-option = 1\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("cannot be compared"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("no-such-option"), std::string::npos) << lines[0];
}

TEST_F(ChangedOptions, DoNotIncludeAnotherModelToStartFrom) {
  const std::filesystem::path config = path("config.toml");
  const auto require = [&](const std::string& model) {
    require_same_origin(config, "classification", model);
  };
  EXPECT_NO_THROW(require("model")) << "nothing is saved";
  write(config, "[run]\ninit-from = \"model\"\n");
  EXPECT_NO_THROW(require(""));
  EXPECT_NO_THROW(require("model"));
  expect_error<ConfigError>([&] { require("other"); }, {"init_from", "started from model"});
  write(config, "[run]\n");
  expect_error<ConfigError>([&] { require("other"); }, {"started from random numbers"});
  // The same folder under another name.
  write(config, "[run]\ninit-from = \"" + folder_.string() + "\"\n");
  EXPECT_NO_THROW(require(folder_.string() + "/."));
}

TEST_F(ChangedOptions, KnowTheModelThatARunStartedFrom) {
  EXPECT_EQ(initial_model_of(path("none.toml")), "");
  for (const char* const of_one_task : {"label-separator = \",\"", "src-train = [\"a\"]",
                                        "matryoshka = [\"8\"]", "sequence-length = 16"}) {
    write(path("config.toml"), fmt::format("init-from = \"base\"\n{}\n", of_one_task));
    EXPECT_EQ(initial_model_of(path("config.toml")), "base") << of_one_task;
  }
  write(path("config.toml"), "max-steps = 3\n");
  EXPECT_EQ(initial_model_of(path("config.toml")), "");
  write(path("config.toml"), "no-option = 3\n");
  expect_error<ConfigError>([&] { initial_model_of(path("config.toml")); }, {"no-option"});
}

}  // namespace
}  // namespace attend
