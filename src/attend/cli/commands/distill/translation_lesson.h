// What translators leave for their student: translations of its text, and the probabilities of
// their tokens.
#pragma once

#include <string>
#include <vector>

#include "attend/cli/commands/distill/lesson.h"
#include "attend/tasks/translation/training/soft_target_text.h"
#include "attend/tasks/translation/training/targets.h"
#include "attend/tasks/translation/training/training.h"

namespace attend {

struct TranslationLessonOptions {
  std::vector<std::string> src, tgt;
  TargetOptions targets;
  bool given_targets = true;
  int teacher_top_k = 8;
  bool shortlist = false;
};

template <class Visitor>
void fields(TranslationLessonOptions& o, Visitor&& visit) {
  visit("src", o.src, "more text for the teachers to translate, besides --src-train");
  visit("tgt", o.tgt, "translation of --src, line by line, if there is one");
  fields(o.targets, visit);
  visit("given-targets", o.given_targets,
        "also learn from the given translations, as far as there are some");
  visit("teacher-top-k", o.teacher_top_k, between(0, kMostSoftTargets),
        "most likely tokens of the teachers to keep on disk for each token of the targets; 0: the "
        "teachers compute all in every step");
  visit("shortlist", o.shortlist,
        "give the file of --bits a vocabulary shortlist from the student's text, for translate "
        "--shortlist");
}

class TranslationLesson final : public Lesson {
 public:
  std::string name() const override { return ""; }
  std::string_view task() const override { return TranslationTraining::kName; }
  std::string help() const override { return "Train a translator from those of others"; }
  bool is_weighed() const override { return true; }
  std::vector<OptionField> fields() override { return option_fields(options_); }
  void take_texts(const SettledOptions& student) override;
  void require_text_of_teachers() const override;
  // Where their probabilities count.
  bool student_reads_teachers(const SettledOptions& student) const override;
  void write(const Teachers& teachers, SettledOptions& student, const LessonPlace& place) override;
  bool adds_to_file() const override { return options_.shortlist; }
  Checkpoint for_use(const Checkpoint& model, const SettledOptions& student) const override;
  PartCosts measure(const Teachers& teachers, TeacherState state, SettledOptions& student,
                    const std::filesystem::path& scratch) override;

 private:
  struct Texts {
    std::vector<std::string> src, tgt;
  };

  TargetSource targets_of(const SettledOptions& student) const;
  TargetFiles write_targets(const TranslationEngine& teachers, const SettledOptions& student,
                            const LessonPlace& place) const;
  void write_soft_targets(const TranslationEnsemble& teachers, SettledOptions& student,
                          const LessonPlace& place) const;
  // Names the languages of the student's files, whose names do not tell.
  void settle_languages(const TranslationModel& teacher, SettledOptions& student) const;

  TranslationLessonOptions options_;
  std::string checksums_;  // of the teachers
  Texts pairs_;            // files of given translations
  Texts texts_;            // to translate; tgt: empty unless all of it has given translations
};

}  // namespace attend
