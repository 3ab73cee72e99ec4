// What `attend distill` does: the teachers of a run, what they write, and the student, one after
// another in a folder. Each resumes where it was stopped.
#pragma once

#include <memory>
#include <vector>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/cli/commands/distill/student_file.h"
#include "attend/cli/commands/distill/teacher_runs.h"
#include "attend/cli/commands/train/training_session.h"
#include "attend/tasks/training/trainable.h"

namespace attend {

struct DistillArguments {
  std::unique_ptr<Lesson> lesson;
  TeacherRunOptions runs;
  StudentFileOptions file;
  SessionOptions session;           // of the student; its teachers, if some are given
  std::unique_ptr<Trainable> task;  // that of the lesson
};

class DistillationRun {
 public:
  // All must outlive it. Throws ConfigError for options that do not fit together, IoError for texts
  // that cannot be read.
  DistillationRun(DistillArguments& arguments, const IsSet& is_set);

  // Trains the student, after what is missing for it, and writes the file of its options. Throws
  // like train_task(), Lesson::write() and write_student_file().
  void run();
  // Measures a few steps of everything, which leaves nothing behind.
  PartCosts cost();

 private:
  bool trains_teachers() const { return arguments_.session.run.teachers.empty(); }
  void train_teachers();
  // Until the student has what it learns from.
  void prepare_student();

  DistillArguments& arguments_;
  SettledOptions student_;
};

}  // namespace attend
