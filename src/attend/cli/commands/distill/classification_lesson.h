// What classifiers leave for their student: the probabilities of their labels for each text.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/tasks/classification/teachers.h"
#include "attend/tasks/classification/training.h"

namespace attend {

struct ClassificationLessonOptions {
  std::vector<std::string> unlabeled;
};

template <class Visitor>
void fields(ClassificationLessonOptions& o, Visitor&& visit) {
  visit("unlabeled", o.unlabeled,
        "texts without labels for the teachers to read, besides those of --train: one on each "
        "line; of pairs, both with a tab between");
}

class ClassificationLesson final : public Lesson {
 public:
  std::string_view task() const override { return ClassificationTraining::kName; }
  std::string help() const override {
    return "Train a classifier from the probabilities that others give to labels";
  }
  bool is_weighed() const override { return true; }
  std::vector<OptionField> fields() override { return option_fields(options_); }
  void take_texts(const SettledOptions& student) override;
  void require_text_of_teachers() const override;
  void write(const Teachers& teachers, SettledOptions& student, const LessonPlace& place) override;
  PartCosts measure(const Teachers& teachers, TeacherState state, SettledOptions& student,
                    const std::filesystem::path& scratch) override;

 private:
  // Lets the student answer what its teachers do.
  void settle_problem(const ClassificationTeachers& teachers, SettledOptions& student) const;
  std::vector<std::string> texts(const ClassificationTeachers& teachers,
                                 const SettledOptions& student) const;

  ClassificationLessonOptions options_;
  std::vector<std::string> labeled_, unlabeled_;  // files
};

}  // namespace attend
