#include "attend/tasks/training/changed_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>

#include "attend/core/options/config_file.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"
#include "attend/tasks/training/folder_run.h"

namespace attend {
namespace {

using Groups = std::vector<OptionGroup>;

std::unique_ptr<Trainable> with_defaults(std::string_view name) {
  if (auto task = trainable_task(name)) return task;
  throw ConfigError(fmt::format("there is no task {} to train", name));
}

std::string shown(const OptionField& field) {
  const std::string text = fmt::format("{}", fmt::join(option_values(field), " "));
  return text.empty() ? "not set" : printable(text, 200);
}

bool is_one_of(const std::string& name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Schedules that reach their end at the last step depend on when that is.
bool schedule_knows_its_end(const Groups& groups) {
  for (const OptionGroup& group : groups)
    if (const OptionField* kind = find_option(group.fields, "schedule"))
      return is_one_of(option_values(*kind).front(), {"linear", "cosine"});
  return false;
}

std::string consequence(const std::string& group, const std::string& option,
                        bool end_changes_schedule) {
  if (is_one_of(option, {"schedule", "learning-rate", "warmup-steps", "min-learning-rate"}))
    return ": the schedule changes";
  if (is_one_of(option, {"max-steps", "max-epochs", "accumulate", "shards"}) &&
      end_changes_schedule)
    return ": the schedule changes";
  if (group == "vocabulary" && option != "bpe-dropout") return ": the vocabulary stays as it is";
  return "";
}

// The options of a run so far. Throws Error for a file that is not one of them.
struct SavedOptions {
  SavedOptions(const std::filesystem::path& config, std::string_view name)
      : task(with_defaults(name)) {
    std::vector<OptionField> fields = option_fields(run);
    for (const OptionGroup& group : task->option_groups())
      fields.insert(fields.end(), group.fields.begin(), group.fields.end());
    apply_config_file(config, fields);
  }

  RunOptions run;
  std::unique_ptr<Trainable> task;
};

bool is_same_path(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

}  // namespace

void require_same_origin(const std::filesystem::path& config, std::string_view task,
                         const std::string& init_from) {
  if (init_from.empty() || !std::filesystem::exists(config)) return;
  std::string before;
  try {
    before = SavedOptions(config, task).run.init_from;
  } catch (const Error&) {  // which changed_options() reports
    return;
  }
  if (!is_same_path(before, init_from))
    throw OptionError<ConfigError>(
        "{}: expected none with {}, because the run started from {}; leave it out, or start a new "
        "run with another {}",
        as_flag("init-from"), as_flag("resume"),
        before.empty() ? "random numbers" : printable(before, 200), as_flag("out"));
}

// The file does not name its task: the first that has all of its options reads it.
std::string initial_model_of(const std::filesystem::path& config) {
  if (!std::filesystem::exists(config)) return "";
  std::optional<ConfigError> last;
  for (const std::unique_ptr<Trainable>& task : trainable_tasks()) {
    try {
      return SavedOptions(config, task->name()).run.init_from;
    } catch (const ConfigError& error) {
      last.emplace(error);
    }
  }
  throw *last;
}

std::vector<std::string> changed_options(const std::filesystem::path& config, Trainable& task) {
  if (!std::filesystem::exists(config)) return {};
  std::optional<SavedOptions> saved;
  try {
    saved.emplace(config, task.name());
  } catch (const Error& error) {
    return {fmt::format("the options cannot be compared with those of the run so far: {}",
                        error.what())};
  }
  const Groups now = task.option_groups(), before = saved->task->option_groups();
  const bool end_changes_schedule = schedule_knows_its_end(now) || schedule_knows_its_end(before);
  std::vector<std::string> lines;
  for (std::size_t g = 0; g < now.size(); ++g) {
    for (std::size_t f = 0; f < now[g].fields.size(); ++f) {
      const OptionField &is = now[g].fields[f], &was = before[g].fields[f];
      if (option_values(is) == option_values(was)) continue;
      lines.push_back(fmt::format("{} was {}, is {}{}", is.name, shown(was), shown(is),
                                  consequence(now[g].name, is.name, end_changes_schedule)));
    }
  }
  return lines;
}

}  // namespace attend
