// What an embedding model leaves for its student: the vectors of texts.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/tasks/embedding/training.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

struct EmbeddingLessonOptions {
  std::vector<std::string> unlabeled;
};

template <class Visitor>
void fields(EmbeddingLessonOptions& o, Visitor&& visit) {
  visit("unlabeled", o.unlabeled,
        "texts for the teacher to read, one on each line, besides those of --train");
}

class EmbeddingLesson final : public Lesson {
 public:
  std::string_view task() const override { return EmbeddingTraining::kName; }
  std::string help() const override { return "Train an embedding model to give another's vectors"; }
  std::vector<OptionField> fields() override { return option_fields(options_); }
  void take_texts(const SettledOptions& student) override;
  void require_text_of_teachers() const override;
  // The vectors of two models have nothing in common.
  std::size_t most_teachers() const override { return 1; }
  void write(const Teachers& teachers, SettledOptions& student, const LessonPlace& place) override;
  PartCosts measure(const Teachers& teachers, TeacherState state, SettledOptions& student,
                    const std::filesystem::path& scratch) override;

 private:
  std::vector<std::string> texts(const SettledOptions& student) const;

  EmbeddingLessonOptions options_;
  std::vector<std::string> related_, unlabeled_;  // files
};

}  // namespace attend
