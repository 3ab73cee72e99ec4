#include "attend/cli/commands/distill/classification_lesson.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/cli/commands/distill/taught_cost.h"
#include "attend/cli/commands/distill/unlabeled_text.h"
#include "attend/cli/commands/parts/part_progress.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/data/labeled_text.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

void require_pair(const std::string& text, const std::string& where) {
  const auto tabs = std::count(text.begin(), text.end(), '\t');
  if (tabs != 1)
    throw DataError(fmt::format("{}: expected a pair of texts with a tab between, found {}", where,
                                counted(tabs, "tab")));
}

}  // namespace

void ClassificationLesson::take_texts(const SettledOptions& student) {
  if (!student.text("soft-labels").empty())
    throw ConfigError("--soft-labels: expected none, as the teachers of attend distill write them");
  labeled_ = student.files("train");
  unlabeled_ = student.found(options_.unlabeled);
  if (labeled_.empty() && unlabeled_.empty())
    throw ConfigError("--unlabeled: expected the texts for the teachers to read, got none");
  require_readable(labeled_);
  require_readable(unlabeled_);
}

void ClassificationLesson::require_text_of_teachers() const {
  if (labeled_.empty())
    throw ConfigError("--train: expected labeled texts for --teacher-runs to learn from");
}

void ClassificationLesson::settle_problem(const ClassificationTeachers& teachers,
                                          SettledOptions& student) const {
  const std::string problem = teachers.kind().kind, asked = student.text("problem-type");
  if (student.is_set()("problem-type") && asked != problem)
    throw ConfigError(
        fmt::format("--problem-type: expected {}, that of the teachers, got {}", problem, asked));
  student.settle("problem-type", {problem});
  const bool pairs = !student.text("second-column").empty();
  if (pairs && !teachers.read_pairs())
    throw ConfigError("--second-column: expected none, as the teachers read single texts");
  if (!pairs && teachers.read_pairs()) student.settle("second-column", {"3"});
}

std::vector<std::string> ClassificationLesson::texts(const ClassificationTeachers& teachers,
                                                     const SettledOptions& student) const {
  std::vector<std::string> all;
  const std::vector<std::string> labels = teachers.kind().names;
  // Where they do not count beside labels, teachers read the other texts only.
  if (!labeled_.empty() && std::stod(student.text("distill-weight")) > 0.0)
    all =
        read_labeled(labeled_, student.part<LabeledOptions>(), {teachers.problem(), labels}).texts;
  add_unlabeled(unlabeled_, all, [&](const std::string& line, const std::string& where) {
    if (teachers.read_pairs()) require_pair(line, where);
  });
  return all;
}

void ClassificationLesson::write(const Teachers& teachers, SettledOptions& student,
                                 const LessonPlace& place) {
  const ClassificationTeachers all(teachers);
  settle_problem(all, student);
  const std::vector<std::string> texts = this->texts(all, student);
  remark("labeling {} with {}\n", counted(std::ssize(texts), "text"),
         counted(std::ssize(teachers), "teacher"));
  PartProgress progress("texts", place.resume_with);
  const std::filesystem::path folder = place.out / "labels";
  write_taught_texts(
      texts, all.kind(), [&](std::span<const std::string> part) { return all.answers(part); },
      names_of(teachers), folder, progress.function());
  student.settle("train", labeled_);
  student.settle("soft-labels", {folder.string()});
}

PartCosts ClassificationLesson::measure(const Teachers& teachers, TeacherState,
                                        SettledOptions& student,
                                        const std::filesystem::path& scratch) {
  const ClassificationTeachers all(teachers);
  settle_problem(all, student);
  const std::vector<std::string> texts = this->texts(all, student);
  student.settle("train", labeled_);
  student.settle("soft-labels", {scratch.string()});
  return {taught_cost(
      texts, all.kind(), [&](std::span<const std::string> part) { return all.answers(part); },
      scratch)};
}

}  // namespace attend
