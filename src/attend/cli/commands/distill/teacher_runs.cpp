#include "attend/cli/commands/distill/teacher_runs.h"

#include <fmt/format.h>

#include <filesystem>

namespace attend {

RunVariant teacher_run(Trainable& task, const SessionOptions& student, const IsSet& is_set,
                       const TeacherRunOptions& options, int number) {
  SessionOptions without_teachers = student;
  without_teachers.run.teachers.clear();
  const std::vector<OptionField> fields = run_fields(without_teachers, task);
  std::vector<OptionValue> values;
  for (const std::string& text : options.options)
    values.push_back(option_value_of(text, fields, "--teacher-options",
                                     {"out", "seed", "teachers", "distill-weight", "init-from"}));
  const std::string seed = option_values(*find_option(fields, "seed")).front();
  values.emplace_back("seed",
                      fmt::format("{}", std::stoull(seed) + static_cast<std::uint64_t>(number)));
  if (find_option(fields, "distill-weight") != nullptr) values.emplace_back("distill-weight", "0");
  return variant_of(
      task, without_teachers, is_set, values,
      std::filesystem::path(student.run.out) / "teachers" / fmt::format("{}", number));
}

}  // namespace attend
