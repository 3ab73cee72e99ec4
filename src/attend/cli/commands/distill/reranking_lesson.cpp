#include "attend/cli/commands/distill/reranking_lesson.h"

#include <fmt/format.h>

#include "attend/cli/commands/distill/taught_cost.h"
#include "attend/cli/commands/parts/part_progress.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/tasks/classification/margins.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

TeachTexts scores_by(const Teachers& teachers) {
  return [all = ClassificationTeachers(teachers)](std::span<const std::string> texts) {
    return passage_scores(all, texts);
  };
}

// The student scores pairs of texts, and learns from `folder` alone.
void settle_margins(SettledOptions& student, const std::filesystem::path& folder) {
  student.settle("problem-type", {"regression"});
  if (student.text("second-column").empty()) student.settle("second-column", {"3"});
  student.settle("train", {});
  student.settle("margins", {folder.string()});
}

}  // namespace

void RerankingLesson::take_texts(const SettledOptions& student) {
  for (const char* const name : {"margins", "soft-labels", "distill-weight"})
    if (student.is_set()(name))
      throw ConfigError(fmt::format(
          "--{}: expected none, as the student learns the scores of its teachers alone", name));
  if (student.is_set()("problem-type") && student.text("problem-type") != "regression")
    throw ConfigError(
        "--problem-type: expected regression, as the answer of a reranker is a number");
  of_teachers_ = student.files("train");
  triples_ = student.found(options_.triples);
  if (triples_.empty())
    throw ConfigError(
        "--triples: expected queries with passages for the teachers to score, got none");
  require_readable(triples_);
}

void RerankingLesson::require_text_of_teachers() const {
  if (of_teachers_.empty())
    throw ConfigError("--train: expected scored pairs of texts for --teacher-runs to learn from");
}

void RerankingLesson::write(const Teachers& teachers, SettledOptions& student,
                            const LessonPlace& place) {
  const std::vector<std::string> triples = read_triples(triples_);
  remark("scoring the passages of {} with {}\n", counted(std::ssize(triples), "triple"),
         counted(std::ssize(teachers), "teacher"));
  PartProgress progress("triples", place.resume_with);
  const std::filesystem::path folder = place.out / "scores";
  write_taught_texts(triples, passage_scores(), scores_by(teachers), names_of(teachers), folder,
                     progress.function());
  settle_margins(student, folder);
}

PartCosts RerankingLesson::measure(const Teachers& teachers, TeacherState, SettledOptions& student,
                                   const std::filesystem::path& scratch) {
  const PartCost cost =
      taught_cost(read_triples(triples_), passage_scores(), scores_by(teachers), scratch);
  settle_margins(student, scratch);
  return {cost};
}

}  // namespace attend
