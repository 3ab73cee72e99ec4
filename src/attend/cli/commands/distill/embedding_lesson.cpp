#include "attend/cli/commands/distill/embedding_lesson.h"

#include <utility>

#include "attend/cli/commands/distill/taught_cost.h"
#include "attend/cli/commands/distill/unlabeled_text.h"
#include "attend/cli/commands/parts/part_progress.h"
#include "attend/core/files/lines.h"
#include "attend/core/strings/counted.h"
#include "attend/data/related_texts.h"
#include "attend/tasks/embedding/engine.h"
#include "attend/tasks/embedding/goal.h"
#include "attend/tasks/embedding/model.h"
#include "attend/tasks/training/part_folder.h"

namespace attend {

namespace {

TeachTexts vectors_by(const EmbeddingModel& model) {
  return [teacher = EmbeddingEngine(model)](std::span<const std::string> texts) {
    std::vector<float> all;
    for (const TextEmbedding& one : teacher.embed(texts, {})) {
      const std::vector<float> vector = one.vectors.to_vector();
      all.insert(all.end(), vector.begin(), vector.end());
    }
    return all;
  };
}

// Lets the student's vectors have the length of its teacher's.
void settle_length(const EmbeddingModel& teacher, SettledOptions& student) {
  if (!student.is_set()("normalize"))
    student.settle("normalize", {teacher.network->config().normalize ? "true" : "false"});
}

}  // namespace

void EmbeddingLesson::take_texts(const SettledOptions& student) {
  if (!student.text("vectors").empty())
    throw ConfigError("--vectors: expected none, as the teacher of attend distill writes them");
  related_ = student.files("train");
  unlabeled_ = student.found(options_.unlabeled);
  if (related_.empty() && unlabeled_.empty())
    throw ConfigError("--unlabeled: expected the texts for the teacher to read, got none");
  require_readable(related_);
  require_readable(unlabeled_);
}

void EmbeddingLesson::require_text_of_teachers() const {
  if (related_.empty())
    throw ConfigError(
        "--train: expected texts that belong together for --teacher-runs to learn from");
}

std::vector<std::string> EmbeddingLesson::texts(const SettledOptions& student) const {
  std::vector<std::string> all;
  if (!related_.empty()) all = read_related(related_, student.part<RelatedOptions>()).texts;
  add_unlabeled(unlabeled_, all, [](const std::string&, const std::string&) {});
  return all;
}

void EmbeddingLesson::write(const Teachers& teachers, SettledOptions& student,
                            const LessonPlace& place) {
  const EmbeddingModel teacher = embedding_model(*teachers.front());
  settle_length(teacher, student);
  const std::vector<std::string> texts = this->texts(student);
  remark("writing the vectors of {}\n", counted(std::ssize(texts), "text"));
  PartProgress progress("texts", place.resume_with);
  const std::filesystem::path folder = place.out / "vectors";
  write_taught_texts(texts, {std::string(kTaughtVectors), {}}, vectors_by(teacher),
                     names_of(teachers), folder, progress.function());
  student.settle("train", {});
  student.settle("vectors", {folder.string()});
}

PartCosts EmbeddingLesson::measure(const Teachers& teachers, TeacherState, SettledOptions& student,
                                   const std::filesystem::path& scratch) {
  const EmbeddingModel teacher = embedding_model(*teachers.front());
  settle_length(teacher, student);
  const PartCost cost =
      taught_cost(texts(student), {std::string(kTaughtVectors), {}}, vectors_by(teacher), scratch);
  student.settle("train", {});
  student.settle("vectors", {scratch.string()});
  return {cost};
}

}  // namespace attend
