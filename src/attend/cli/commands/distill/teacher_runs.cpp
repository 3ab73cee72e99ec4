#include "attend/cli/commands/distill/teacher_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/tasks/model_file/registry.h"

namespace attend {

namespace {

std::unique_ptr<Trainable> same_task(const Trainable& task) {
  for (std::unique_ptr<Trainable>& one : trainable_tasks())
    if (one->name() == task.name()) return std::move(one);
  return nullptr;
}

std::vector<OptionField> all_fields(SessionOptions& session, Trainable& task) {
  std::vector<OptionField> fields = option_fields(session.run);
  for (const OptionGroup& group : task.option_groups())
    fields.insert(fields.end(), group.fields.begin(), group.fields.end());
  return fields;
}

void copy_values(std::span<const OptionField> from, std::span<const OptionField> to) {
  for (std::size_t i = 0; i < from.size(); ++i)
    if (const std::vector<std::string> values = option_values(from[i]);
        values != option_values(to[i]))
      set_option(to[i], values, to[i].name);
}

// What each teacher has of its own, or none has.
constexpr std::string_view kSettled[] = {"out", "seed", "teachers", "distill-weight", "init-from"};

// Sets "name=value" and returns the name.
std::string set_from_text(const std::string& text, std::span<const OptionField> fields) {
  const std::size_t equals = text.find('=');
  const std::string name = kebab_case(text.substr(0, equals));
  if (equals == std::string::npos)
    throw ConfigError(fmt::format("--teacher-options: expected name=value, got {}", quote(text)));
  const OptionField* field = find_option(fields, name);
  if (field == nullptr)
    throw ConfigError(fmt::format("--teacher-options: unknown option {}{}", quote(name),
                                  did_you_mean(name, option_names(fields))));
  if (std::find(std::begin(kSettled), std::end(kSettled), name) != std::end(kSettled))
    throw ConfigError(fmt::format("--teacher-options: attend distill sets {} of a teacher", name));
  const std::vector<std::string> values{text.substr(equals + 1)};
  set_option(*field, values, fmt::format("--teacher-options: {}", name));
  return name;
}

}  // namespace

TeacherRun teacher_run(Trainable& task, const SessionOptions& student, const IsSet& is_set,
                       const TeacherRunOptions& options, int number) {
  TeacherRun teacher{same_task(task), student, {}};
  SessionOptions of_student = student;
  const std::vector<OptionField> fields = all_fields(teacher.session, *teacher.task);
  copy_values(all_fields(of_student, task), fields);
  std::set<std::string> names;
  for (const std::string& text : options.options) names.insert(set_from_text(text, fields));
  const auto set = [&](const std::string& name, const std::string& value) {
    set_option(*find_option(fields, name), std::vector{value}, name);
  };
  const auto seed = option_values(*find_option(fields, "seed")).front();
  set("seed", fmt::format("{}", std::stoull(seed) + static_cast<std::uint64_t>(number)));
  set("distill-weight", "0");
  teacher.session.run.teachers.clear();
  teacher.session.run.out =
      (std::filesystem::path(student.run.out) / "teachers" / fmt::format("{}", number)).string();
  teacher.session.resume = !RunFolder(teacher.session.run.out).checkpoints().empty();
  teacher.is_set = [names = std::move(names), is_set](const std::string& name) {
    return names.contains(name) || is_set(name);
  };
  return teacher;
}

}  // namespace attend
