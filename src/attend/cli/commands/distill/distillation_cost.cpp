// The cost of a distillation, by a few steps of each of its parts.
#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "attend/cli/binding/thread_options.h"
#include "attend/cli/commands/distill/distillation_run.h"
#include "attend/cli/commands/parts/part_cost.h"
#include "attend/cli/commands/parts/trained_part.h"
#include "attend/cli/commands/train/task_run.h"
#include "attend/core/strings/counted.h"
#include "attend/error.h"

namespace attend {

namespace {

// Removes itself.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "attend-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw IoError(fmt::format("{}: cannot create a folder for measuring", name));
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

PartCosts DistillationRun::cost() {
  const RuntimeScope runtime = enter_runtime(arguments_.session.run.threads);
  PartCosts cost;
  const TeacherState state = trains_teachers() ? TeacherState::untrained : TeacherState::trained;
  Lesson& lesson = *arguments_.lesson;
  Teachers teachers;
  if (state == TeacherState::trained) {
    teachers = load_teachers(arguments_.session.run);
    for (const auto& teacher : teachers) require_teacher_for(lesson, *teacher);
  } else {
    const int runs = arguments_.runs.runs;
    RunVariant teacher =
        teacher_run(*arguments_.task, arguments_.session, student_.is_set(), arguments_.runs, 1);
    TrainingTask task = prepare_task(*teacher.task, teacher.session, teacher.is_set, Teachers{});
    const auto model = std::make_shared<const Checkpoint>(untrained_model(task));
    teachers.assign(static_cast<std::size_t>(runs), model);
    if (lesson.student_reads_teachers(student_)) student_.leave_vocabulary_open();
    PartCost one = training_cost(counted(runs, "teacher"), task, teacher.task->trainer());
    one.seconds *= runs;
    one.disk_bytes *= runs;
    cost.push_back(std::move(one));
  }
  const ScratchFolder scratch;
  const PartCosts writing = lesson.measure(teachers, state, student_, scratch.path());
  cost.insert(cost.end(), writing.begin(), writing.end());
  // With answers on disk, a pass of the teachers over the text is what they take.
  if (!lesson.student_reads_teachers(student_)) teachers.clear();
  TrainingTask student =
      prepare_task(*arguments_.task, arguments_.session, student_.is_set(), std::move(teachers));
  cost.push_back(training_cost("student", student, arguments_.task->trainer()));
  return cost;
}

}  // namespace attend
