// What rerankers leave for their student: their scores of passages for a query.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/tasks/classification/training.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

struct RerankingLessonOptions {
  std::vector<std::string> triples;
};

template <class Visitor>
void fields(RerankingLessonOptions& o, Visitor&& visit) {
  visit("triples", o.triples,
        "queries, each with a passage that is an answer and one that is none: the columns query, "
        "positive and negative of a table, or its first three");
}

class RerankingLesson final : public Lesson {
 public:
  std::string name() const override { return "reranking"; }
  std::string_view task() const override { return ClassificationTraining::kName; }
  std::string help() const override {
    return "Train a reranker from the scores that others give to passages";
  }
  std::vector<OptionField> fields() override { return option_fields(options_); }
  void take_texts(const SettledOptions& student) override;
  void require_text_of_teachers() const override;
  void write(const Teachers& teachers, SettledOptions& student, const LessonPlace& place) override;
  PartCosts measure(const Teachers& teachers, TeacherState state, SettledOptions& student,
                    const std::filesystem::path& scratch) override;

 private:
  RerankingLessonOptions options_;
  std::vector<std::string> triples_, of_teachers_;  // files
};

}  // namespace attend
