#include "attend/cli/commands/distill/distillation_run.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/parts/trained_part.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {

namespace {

// How much of the loss comes from the teachers, unless it is said.
constexpr const char* kUsualWeight = "0.5";

}  // namespace

DistillationRun::DistillationRun(DistillArguments& arguments, const IsSet& is_set)
    : arguments_(arguments), student_(*arguments.task, is_set) {
  if (trains_teachers() && arguments_.runs.runs == 0)
    throw ConfigError(
        "expected teachers, the models to learn from, or --teacher-runs to train some; got none");
  if (!trains_teachers() && !arguments_.runs.options.empty())
    throw ConfigError("--teacher-options: works only with teachers of --teacher-runs");
  validate(arguments_.file);
  if (arguments_.file.bits == 0 && arguments_.lesson->adds_to_file())
    throw ConfigError("--shortlist: works only with --bits");
  const std::size_t teachers = trains_teachers() ? static_cast<std::size_t>(arguments_.runs.runs)
                                                 : arguments_.session.run.teachers.size();
  if (const std::size_t most = arguments_.lesson->most_teachers(); teachers > most)
    throw ConfigError(fmt::format("expected at most {} for a student of this kind, got {}",
                                  counted(static_cast<std::int64_t>(most), "teacher"), teachers));
  arguments_.lesson->take_texts(student_);
  if (trains_teachers()) {
    arguments_.lesson->require_text_of_teachers();
    // Their options are read before anything is done.
    teacher_run(*arguments_.task, arguments_.session, student_.is_set(), arguments_.runs, 1);
  }
  if (arguments_.lesson->is_weighed() && !is_set("distill-weight"))
    student_.settle("distill-weight", {kUsualWeight});
}

void DistillationRun::train_teachers() {
  const int runs = arguments_.runs.runs;
  std::vector<std::string> teachers;
  for (int number = 1; number <= runs; ++number) {
    RunVariant teacher = teacher_run(*arguments_.task, arguments_.session, student_.is_set(),
                                     arguments_.runs, number);
    teachers.push_back(RunFolder(teacher.session.run.out).path().string());
    remark("teacher {} of {}: {}\n", number, runs, shown_path(teachers.back()));
    train_part(teacher);
  }
  arguments_.session.run.teachers = std::move(teachers);
  // Theirs is the one that was asked for, or a smaller one.
  if (arguments_.lesson->student_reads_teachers(student_)) student_.leave_vocabulary_open();
}

void DistillationRun::prepare_student() {
  SessionOptions& session = arguments_.session;
  const RuntimeScope runtime = enter_runtime(session.run.threads);
  const Teachers teachers = load_teachers(session.run);
  for (const auto& teacher : teachers) require_teacher_for(*arguments_.lesson, *teacher);
  arguments_.lesson->write(teachers, student_,
                           {std::filesystem::absolute(session.run.out), session.resume_with});
  if (!arguments_.lesson->student_reads_teachers(student_)) session.run.teachers.clear();
}

void DistillationRun::run() {
  SessionOptions& session = arguments_.session;
  session.resume_with = fmt::format("{} --resume --out {}", distill_command(*arguments_.lesson),
                                    shown_path(session.run.out));
  if (trains_teachers()) train_teachers();
  prepare_student();
  remark("student: {}\n", shown_path(session.run.out));
  session.resume = !RunFolder(session.run.out).checkpoints().empty();
  train_task(*arguments_.task, session, student_.is_set());
  if (arguments_.file.bits > 0)
    write_student_file(RunFolder(session.run.out).path(), arguments_.file, *arguments_.lesson,
                       student_);
}

}  // namespace attend
