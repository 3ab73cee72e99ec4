#include "attend/tasks/training/presets.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "attend/tasks/classification/training.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/language/training.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/tagging/training.h"
#include "attend/tasks/training/folder_run.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {
namespace {

using Values = std::map<std::string, std::vector<std::string>>;

Values values_of(const std::vector<OptionGroup>& groups) {
  Values values;
  for (const OptionGroup& group : groups)
    for (const OptionField& field : group.fields) values[field.name] = option_values(field);
  return values;
}

// Options as they are in their struct, without a preset.
template <class Training>
Values plain() {
  Training options;
  return values_of(option_groups(options));
}

std::unique_ptr<Trainable> task_named(std::string_view name) {
  for (std::unique_ptr<Trainable>& task : trainable_tasks())
    if (task->name() == name) return std::move(task);
  return nullptr;
}

IsSet only(std::set<std::string> names) {
  return [names = std::move(names)](const std::string& name) { return names.contains(name); };
}

Values with(Preset preset, std::string_view task) {
  const std::unique_ptr<Trainable> made = task_named(task);
  apply_preset(preset, task, made->option_groups(), only({}));
  return values_of(made->option_groups());
}

TEST(Presets, HaveThePaperAsBase) {
  EXPECT_EQ(with(Preset::base, "translation"), plain<TranslationTraining>());
  EXPECT_EQ(with(Preset::base, "lm"), plain<LanguageTraining>());
}

TEST(Presets, BeginWithTiny) {
  for (const char* task : {"translation", "lm", "classification", "tagging", "embedding"})
    EXPECT_EQ(values_of(task_named(task)->option_groups()), with(Preset::tiny, task)) << task;
  EXPECT_EQ(with(Preset::tiny, "classification"), plain<ClassificationTraining>());
  EXPECT_EQ(with(Preset::tiny, "tagging"), plain<TaggingTraining>());
  EXPECT_EQ(with(Preset::tiny, "embedding"), plain<EmbeddingTraining>());
}

TEST(Presets, GrowFromOneToTheNext) {
  for (const std::unique_ptr<Trainable>& task : trainable_tasks()) {
    int before = 0;
    for (const Preset preset : {Preset::tiny, Preset::small, Preset::base, Preset::big}) {
      const int width = std::stoi(with(preset, task->name()).at("d-model").front());
      EXPECT_GT(width, before) << task->name();
      before = width;
    }
  }
}

TEST(Presets, ReplaceOneAnother) {
  for (const std::unique_ptr<Trainable>& task : trainable_tasks()) {
    const Values fresh = with(Preset::small, task->name());
    apply_preset(Preset::big, task->name(), task->option_groups(), only({}));
    apply_preset(Preset::small, task->name(), task->option_groups(), only({}));
    EXPECT_EQ(values_of(task->option_groups()), fresh) << task->name();
  }
}

TEST(Presets, LeaveWhatIsSet) {
  const std::unique_ptr<Trainable> task = task_named("translation");
  apply_preset(Preset::big, "translation", task->option_groups(), only({"d-model", "max-steps"}));
  const Values values = values_of(task->option_groups());
  EXPECT_EQ(values.at("d-model"), with(Preset::tiny, "translation").at("d-model"));
  EXPECT_EQ(values.at("max-steps"), with(Preset::tiny, "translation").at("max-steps"));
  EXPECT_EQ(values.at("d-ff"), with(Preset::big, "translation").at("d-ff"));
}

TEST(Presets, GiveFineTuningTheSettingsOfBaseUnlessOneIsSet) {
  const std::unique_ptr<Trainable> task = task_named("translation");
  RunOptions run;
  run.init_from = "model.safetensors";
  settle_preset(*task, run, only({}));
  EXPECT_EQ(run.preset, Preset::base);
  EXPECT_EQ(values_of(task->option_groups()), plain<TranslationTraining>());
  run.preset = Preset::small;
  settle_preset(*task, run, only({"preset"}));
  EXPECT_EQ(values_of(task->option_groups()), with(Preset::small, "translation"));
}

}  // namespace
}  // namespace attend
