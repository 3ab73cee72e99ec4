// The teachers that `attend distill` trains before its student: runs of the student's options with
// other seeds.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/train/run_variant.h"

namespace attend {

struct TeacherRunOptions {
  int runs = 0;
  std::vector<std::string> options;
};

template <class Visitor>
void fields(TeacherRunOptions& o, Visitor&& visit) {
  visit("teacher-runs", o.runs, between(0, 1024),
        "teachers to train first, where none are given: with the options of the student and other "
        "seeds");
  visit("teacher-options", o.options,
        "options of these teachers that differ from the student's, such as d-model=256 r-drop=3");
}

// The run of teacher `number`, from 1, in a folder of `student.run.out`. Throws ConfigError for
// options that a run does not have or that the teachers settle themselves, such as out.
RunVariant teacher_run(Trainable& task, const SessionOptions& student, const IsSet& is_set,
                       const TeacherRunOptions& options, int number);

}  // namespace attend
